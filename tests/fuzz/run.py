"""All campaigns for some minutes: damaged files, random models, kills and faults.

python tests/fuzz/run.py MINUTES [SEED]
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import files
import kills
import models

MANY = 10**6


def main(minutes: float, seed: int) -> bool:
    """Run them one after the other and print what each found; whether anything is wrong."""
    campaigns = (
        ("damaged files", lambda limit: files.campaign(MANY, seed, files.SHARE, limit)),
        ("random models", lambda limit: models.campaign(MANY, seed, limit)),
        ("kills and faults", lambda limit: kills.campaign(MANY, seed, limit)),
    )
    wrong = False
    for name, campaign in campaigns:
        found = campaign(60.0 * minutes / len(campaigns))
        print(f"{name}: {json.dumps(found, indent=1)}", flush=True)
        wrong |= bool(found["bad"])
    return wrong


if __name__ == "__main__":
    chosen = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time()) % 1000
    sys.exit(main(float(sys.argv[1]), chosen))

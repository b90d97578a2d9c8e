"""Campaigns in pieces: numbered cases, results appended to a file of JSON lines.

python tests/fuzz/run.py files models kills [--first 0] [--count 1000] [--seconds 480] [--processes 2] [--out out.jsonl]
python tests/fuzz/run.py models --case 17
python tests/fuzz/run.py --sum fuzz.jsonl other.jsonl

A case that stands in the file is not tried again. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import one_thread  # noqa: F401  before what counts processors
import pieces

CAMPAIGNS = {"files": "DamagedFiles", "folders": "DamagedFolders", "models": "RandomModels", "kills": "KillsAndFaults"}


def make(name: str) -> pieces.Campaign:
    """A campaign by its name; what it needs is imported only then."""
    found: pieces.Campaign = getattr(importlib.import_module(name), CAMPAIGNS[name])()
    return found


def summary(paths: list[Path]) -> dict[str, Any]:
    """Counts over all cases of all files, each case once, and the bad ones."""
    cases = {(row["campaign"], row["case"]): row for path in paths for row in pieces.rows(path)}
    counts: dict[str, collections.Counter[str]] = {}
    for (name, _), row in cases.items():
        count = counts.setdefault(name, collections.Counter())
        count["cases"] += 1
        count["bad"] += "bad" in row
        count["processor time [s]"] += row.get("seconds", 0.0)
        count.update(row.get("totals", {}))
        count.update({" ".join(str(row[key]) for key in ("kind", "result") if key in row): 1} if "kind" in row else {})
    bad = [row for row in cases.values() if "bad" in row]
    return {"counts": {name: dict(sorted(count.items())) for name, count in counts.items()}, "bad": bad}


def one(name: str, number: int) -> dict[str, Any]:
    """One case, in this process."""
    campaign = make(name)
    pieces.prepare(campaign)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        campaign.start(Path(folder))
        return campaign.trial(number) or {}


def main(arguments: list[str]) -> bool:
    """Run what is asked for; whether anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaigns", nargs="*", choices=[[], *CAMPAIGNS])
    parser.add_argument(
        "--first", type=int, default=int(time.time()), help="number of the first case; default: the time"
    )
    parser.add_argument("--count", type=int, default=10**6)
    parser.add_argument("--seconds", type=float, default=1e9, help="for each campaign; cases that are begun are ended")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("fuzz.jsonl"))
    parser.add_argument("--case", type=int)
    parser.add_argument("--sum", type=Path, nargs="+")
    chosen = parser.parse_args(arguments)
    if chosen.sum:
        found = summary(chosen.sum)
        print(json.dumps(found, indent=1))
        return bool(found["bad"])
    wrong = False
    for name in chosen.campaigns:
        if chosen.case is not None:
            row = one(name, chosen.case)
            print(json.dumps(row, indent=1))
            wrong |= "bad" in row
            continue
        cases = range(chosen.first, chosen.first + chosen.count)
        row = pieces.run(make(name), cases, chosen.out, chosen.processes, chosen.seconds)
        print(json.dumps(row, indent=1), flush=True)
        wrong |= bool(row["bad"])
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

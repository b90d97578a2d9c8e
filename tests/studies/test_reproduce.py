"""Each study in a tiny setting: its qualitative claims hold, so a change that breaks a published conclusion shows."""

from __future__ import annotations

import json
import re

import pytest

from signorini.problem.errors import StudyError
from signorini.studies.reproduce import MODULES, chosen_studies, find_study
from signorini.studies.reproduce.report import as_html
from signorini.studies.reproduce.runner import StudyOutcome, as_dict, environment, run_studies, run_study
from signorini.studies.reproduce.study import TINY

NOT_HERE = {
    "ip-size": {"by the documents' recipe the number of iterations hardly grows with the size"},
    "size-segregation": {"the spheres segregate by size: the large ones rise"},
    "sor-scaling": {"the effort per contact does not grow"},
    "pebble-bed": {"the effort per contact stays the same as the bed grows", "pebbles drain"},
    "pdip-table": {"the interior point with blocks is at least 20, 15 and 8 times as fast as APGD's 30000 iterations"},
    "stack-stability": {"the towers fall with the fewest sweeps and stand with 100 and more"},
    "heavy-block": {"of Jacobi, Gauss-Seidel and APGD, APGD is the fastest"},
    "convergence": {"Gauss-Seidel needs more sweeps under a heavy block"},
}
"""Claims about large problems or about time, which tiny ones do not show, and those that do not hold here."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_claims_hold_in_a_tiny_setting(name: str) -> None:
    outcome = run_study(find_study(name), TINY, lambda line: None)
    broken = [c for c in outcome.findings.claims if not c.settled and c.text not in NOT_HERE.get(name, set())]
    assert not broken, [(claim.text, claim.found) for claim in broken]
    assert outcome.findings.tables
    for table in outcome.findings.tables:
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)
    check_page(outcome)


def check_page(outcome: StudyOutcome) -> None:
    """The page holds every figure and needs no network."""
    page = as_html([outcome], "tiny", environment())
    assert page.count("data:image/png;base64,") == len(outcome.findings.figures)
    assert not re.findall(r'(?:src|href)="(?!data:|#)', page)
    json.dumps(as_dict(outcome), allow_nan=False)


def test_studies_beside_one_another_find_what_they_find_alone() -> None:
    """In the order asked for; those that compare times run alone."""
    studies = [find_study(name) for name in ("real-time", "sor-accuracy", "ip-redundant")]
    assert [study.alone for study in studies] == [True, False, False]
    outcomes = list(run_studies(studies, TINY, lambda name, line: None, jobs=2))
    assert [outcome.study.id for outcome in outcomes] == [study.id for study in studies]
    alone = run_study(studies[2], TINY, lambda line: None)
    assert as_dict(outcomes[2])["claims"] == as_dict(alone)["claims"]
    with pytest.raises(StudyError, match="jobs is 0"):
        next(run_studies(studies, TINY, lambda name, line: None, jobs=0))


def test_every_study_has_its_own_name_and_says_what_is_comparable() -> None:
    for study in chosen_studies(["all"]):
        assert MODULES[study.id]
        assert study.source
        assert study.comparable
        assert study.not_comparable
        assert study.choices


def test_unknown_study_is_named_with_a_suggestion() -> None:
    with pytest.raises(StudyError, match="ip-size"):
        find_study("ip-sise")

"""What a study is, and what it hands over: tables with the published figures beside ours, curves, claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from signorini.problem.certificate import Law
from signorini.view.study_figure import Figure

CONVEX: Law = "convex"
"""The law of friction of the documents: their convex relaxation, not the default of `Simulation`."""

Cell = float | int | str | None
"""None is a figure that nobody published or that we did not measure."""


@dataclass(frozen=True)
class Table:
    """One table; a column that starts with `published` holds what the document prints."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    """Why a row is worse than published, or what it leaves out."""


@dataclass(frozen=True)
class Claim:
    """A conclusion of a document, or a bar of ours, and whether it held in this run."""

    text: str
    holds: bool
    found: str
    """The figures that decide."""
    place: str = ""
    """Where the document says so, such as `004, section 5.3.1`; empty for a bar of ours."""
    disagreement: str = ""
    """Why a claim does not hold here, where that is known and measured; it then does not count as a failure."""

    @property
    def owner(self) -> str:
        """Whose claim it is."""
        return f"document {self.place}" if self.place else "our bar"

    @property
    def verdict(self) -> str:
        """In words."""
        if self.holds:
            return "holds"
        if not self.disagreement:
            return "DOES NOT HOLD"
        return f"{'documented disagreement' if self.place else 'missed, known'}: {self.disagreement}"

    @property
    def settled(self) -> bool:
        """Whether it holds, or is known not to."""
        return self.holds or bool(self.disagreement)


@dataclass(frozen=True)
class Findings:
    """What one run of a study found."""

    tables: tuple[Table, ...]
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...] = ()
    settings: dict[str, Cell] = field(default_factory=dict)
    """Everything that was chosen."""


@dataclass(frozen=True)
class Scale:
    """How large a run of a study is: `full`, `quick` for all studies in ten minutes, `tiny` for tests."""

    name: str

    def sizes(self, full: Sequence[int], quick: Sequence[int], tiny: Sequence[int]) -> tuple[int, ...]:
        """The sizes for this scale."""
        return tuple({"full": full, "quick": quick, "tiny": tiny}[self.name])

    def number(self, full: int, quick: int, tiny: int) -> int:
        """The number for this scale."""
        return {"full": full, "quick": quick, "tiny": tiny}[self.name]


FULL, QUICK, TINY = Scale("full"), Scale("quick"), Scale("tiny")

Tell = Callable[[str], None]
"""Called with a line of progress."""


@dataclass(frozen=True)
class Study:
    """One published result, measured here."""

    id: str
    title: str
    source: str
    """Document, table or figure."""
    comparable: str
    """What may be compared with the document."""
    not_comparable: str
    """What may not."""
    choices: tuple[str, ...]
    """What the document leaves open, and what was chosen."""
    run: Callable[[Scale, Tell], Findings]
    alone: bool = False
    """Whether it compares times, which other studies beside it would spoil."""

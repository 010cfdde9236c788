"""What an export is asked for, and the pieces that it is made of. All of it can be sent to workers."""

from dataclasses import dataclass, field

from cardlog.pipelines.export.output import BLOCKS
from cardlog.pipelines.export.selection import Selection


@dataclass(frozen=True)
class ExportSpec:
    """What is to be written: what the store has of a game, in a form; the rest is for training data.

    encoder, encoder_version, layout
        What makes the observations; the layout is empty for encoders that come with cardlog.
    selection, seed, splits
        Which hands and seats count, and how hands are split, in percentages of `SPLITS`.
    order
        One of `mixing.ORDERS`.
    events_version
        The version of `events` that is exported.
    """

    game: str
    form: str
    events_version: int
    encoder: str = ""
    encoder_version: int = 0
    layout: tuple[str, ...] = ()
    selection: Selection = field(default_factory=Selection)
    seed: int = 0
    splits: tuple[int, ...] = ()
    order: str = ""


@dataclass(frozen=True)
class Portion:
    """Pieces of data files of `events`, each given by path and number, that become blocks.

    first, end
        Only the hands with ids in this range are meant, in the order of their ids; all, in the order they
        are stored in, if there is no range.
    """

    key: int
    pieces: tuple[tuple[str, int], ...]
    first: bytes | None = None
    end: bytes = b""


@dataclass(frozen=True)
class ExportPlan:
    """What an export has to do.

    folder
        Where it writes; all workers must reach it.
    chosen
        Where the ids of the hands are that fulfil a condition in SQL; None if there is none.
    rows
        How many events are read.
    """

    store: str
    spec: ExportSpec
    folder: str
    portions: tuple[Portion, ...]
    rows: int
    chosen: str | None = None
    tally: str | None = None

    @property
    def blocks(self) -> str:
        """The folder for blocks."""
        return f"{self.folder}/{BLOCKS}"


@dataclass(frozen=True)
class Block:
    """Encoded rows of one portion, kind of decision and split, in a file.

    sizes, keys
        Rows of each record batch of the file, and by what the batches are sorted if they are mixed.
    longest
        The longest text of each column of texts, in bytes.
    left_out
        How many rows were left out because cards are hidden.
    """

    key: int
    kind: str
    split: int
    name: str
    sizes: tuple[int, ...]
    keys: tuple[int, ...]
    longest: tuple[int, ...]
    left_out: int


@dataclass(frozen=True)
class SplitStats:
    """How much one kind and split has: rows, the longest texts of each column in bytes, and rows that were
    left out because cards are hidden."""

    rows: int
    longest: tuple[int, ...]
    left_out: int


@dataclass(frozen=True)
class Slice:
    """Some rows of a record batch of a block."""

    block: str
    batch: int
    first: int
    end: int


@dataclass(frozen=True)
class Shard:
    """The rows of one kind and split that one worker writes: all of them, or one of `of` files."""

    kind: str
    split: int
    number: int
    of: int
    stats: SplitStats
    slices: tuple[Slice, ...]

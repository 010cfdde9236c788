"""What an export writes: arguments of `export` and options of the command line.
Only light modules are imported here, because --help lists the options."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final

from typer import Option

MART: Final = "hands"


@dataclass(frozen=True)
class Output:
    """What is made of a game's hands: its form and, for training data, how rows are made and split.

    splits
        Train, validation and test in percent.
    """

    game: Annotated[str, Option(help="The game.")]
    format: Annotated[str, Option(help="parquet, npy, npz, minari, playedhand-csv or cardlog-jsonl.")] = (
        "parquet"
    )
    encoder: Annotated[str, Option(help="Encoder of the observations, or your own, module:object.")] = "v1"
    seed: Annotated[int, Option(help="Seed of the split and of the order.")] = 0
    splits: Annotated[str, Option(help="Percentages of train, validation and test.")] = "80,10,10"
    order: Annotated[str | None, Option(help="mixed (default), or hand after hand.")] = None
    columns: Annotated[
        str | None,
        Option(
            metavar="NAMES",
            help="Also player, player_kind, dataset, occurred_at; next_observation, next_action_mask, "
            "next_kind, done.",
        ),
    ] = None
    split_by: Annotated[
        str | None,
        Option(metavar="NAME", help="Rows alike in one of these are in one split (default: match)."),
    ] = None
    all_episodes: Annotated[
        bool, Option("--all-episodes", help="minari: all episodes, not 2,000 of each kind and split.")
    ] = False
    license: Annotated[str | None, Option(help="Licence of the data, such as CC-BY-4.0.")] = None
    name: Annotated[str | None, Option(help="The data set's name.")] = None
    description: Annotated[str | None, Option(help="What the data set is.")] = None


@dataclass(frozen=True)
class Selection:
    """Conditions on hands and on the seats that decide; None is no condition."""

    dialect: Annotated[str | None, Option(help="Only hands played by these rules.")] = None
    since: Annotated[str | None, Option(help="Only hands of this day or later, in UTC: 2016-03-01.")] = None
    until: Annotated[str | None, Option(help="Only hands of this day or earlier, in UTC.")] = None
    player: Annotated[str | None, Option(help="Only decisions of the player with this name.")] = None
    seats: Annotated[str | None, Option(help="Only decisions of human or of computer players.")] = None
    where: Annotated[
        str | None, Option(help='Only hands that satisfy an SQL condition, such as "team_0_score > 0".')
    ] = None
    mart: Annotated[str, Option(help="The mart whose columns --where uses; it must have hand_id.")] = MART
    include_aborted: Annotated[
        bool, Option("--include-aborted", help="Include unfinished hands in training data.")
    ] = False
    include_hidden_cards: Annotated[
        bool,
        Option(
            "--include-hidden-cards", help="Include decisions where the log hides the player's own cards."
        ),
    ] = False
    include_costs: Annotated[
        bool,
        Option("--include-costs", help="Add the columns value, cost_open and cost_known of an analysis."),
    ] = False
    min_legal: Annotated[
        int | None, Option(min=1, help="Only decisions between at least so many legal actions.")
    ] = None
    max_cost_open: Annotated[
        float | None, Option(min=0, help="Only decisions that cost at most so much, all cards seen.")
    ] = None
    max_cost_known: Annotated[
        float | None, Option(min=0, help="Only decisions that cost at most so much by what was known.")
    ] = None

    @property
    def limits(self) -> dict[str, float]:
        """The most that a decision may cost, by the column with its cost."""
        limits = {"cost_open": self.max_cost_open, "cost_known": self.max_cost_known}
        return {name: float(limit) for name, limit in limits.items() if limit is not None}

    @property
    def has_costs(self) -> bool:
        """Whether rows have the columns of an analysis."""
        return self.include_costs or bool(self.limits)

    def criteria(self) -> dict[str, Any]:
        """The fields that differ from their defaults, for the manifest."""
        default = ALL_HANDS
        fields = {name: value for name, value in asdict(self).items() if value != getattr(default, name)}
        return fields | {f"max_{name}": limit for name, limit in self.limits.items()}


ALL_HANDS: Final = Selection()

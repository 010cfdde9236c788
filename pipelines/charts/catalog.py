"""The charts of the marts, where a chart says it better than a table.

Rows of several data sets are drawn one data set at a time, as in the marts themselves.
"""

from dataclasses import dataclass, replace
from typing import Final

from cardlog.models import GAMES
from cardlog.pipelines.charts.plot import HIGH, LOW, NoPlot, Plot, Table, of_rows, with_share
from cardlog.pipelines.sql import process
from cardlog.pipelines.sql.query import QueryError
from cardlog.pipelines.sql.tables import quoted
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.visible import shown

DATASETS: Final = "select game, dataset from hands_per_day group by all order by sum(hands) desc, dataset"
"""The data sets that have hands of a game, those with most first; from the mart `hands_per_day`."""


@dataclass(frozen=True)
class Chart:
    """A chart of a mart.

    name
        What it is called in Python.
    sql
        Labels or x first, then numbers; ``{data}`` is the condition for the data set.
    says
        What the numbers are.
    share
        Whether the numbers are hits and rows; their share is drawn, with its interval.
    kind
        None: what suits the first column.
    made_by
        The command without which its mart has no rows.
    """

    name: str
    game: str
    mart: str
    title: str
    sql: str
    says: str
    percent: bool = False
    kind: str | None = None
    share: bool = False
    made_by: str = ""

    def query(self, dataset: str) -> str:
        """The query that the chart is drawn from."""
        return self.sql.replace("{mart}", self.mart).replace("{data}", f"dataset = {quoted(dataset)}")

    def plot(self, found: Table) -> Plot:
        """What is drawn of the answer to its query. Raises NoPlot."""
        if self.made_by and not found[1]:
            raise NoPlot(f"'cardlog {self.made_by}' and then 'cardlog build' make what it shows.")
        drawn = of_rows(*(with_share(*found) if self.share else found))
        return replace(
            drawn,
            title=self.title,
            says=self.says,
            percent=self.percent,
            kind=self.kind or drawn.kind,
            x_label=drawn.x_label.replace("_", " "),
            series={name.replace("_", " "): values for name, values in drawn.series.items()},
            intervals={name.replace("_", " "): ends for name, ends in drawn.intervals.items()},
        )


def _most_played(columns: str, rows: str, among: str = "true") -> str:
    """The condition for the variant of a game with the most rows: intervals are of one variant."""
    return (
        f"({columns}) = (select ({columns}) from {{mart}} where {{data}} and {among} "
        f"group by {columns} order by sum({rows}) desc, {columns} limit 1)"
    )


_BOTS: Final = "num_suits, cards_per_suit, num_players, num_smart, num_dumb, num_random"

SIDED: Final = [name for name, game in GAMES.items() if game.solvable and game.has_teams]
"""Games whose marts keep luck and play apart: they have a par."""
MOST_PLAYERS: Final = 12
"""Players in a chart, those with most hands."""
_Z: Final = 1.96
"""Standard deviations on either side that have 95 % of a rating's strengths."""


def _mean(role: str) -> str:
    """The mean cost of the decisions of some roles."""
    return f"sum(mean_cost_open * decisions) filter ({role}) / sum(decisions) filter ({role})"


def _interval(column: str, name: str = "", over: str = "1") -> str:
    """A column and the ends of its interval, by its own name or another one, divided by a number."""
    return ", ".join(f"{column}{end} / {over} as {name or column}{end}" for end in ("", LOW, HIGH))


_DECLARERS: Final = "role in ('declarer', 'partner')"

CHARTS: Final = (
    Chart(
        "kaiser_bid_success", "kaiser", "kaiser_bid_success", "How often each bid is made",
        "select contract, sum(hands_made) as made, sum(hands) as hands from {mart} where {data} "
        "group by contract order by contract",
        "Share of the hands in which the bidders took what they bid.", True, "line", share=True,
    ),
    Chart(
        "kaiser_points_per_trick", "kaiser", "kaiser_points_per_trick", "What each trick is worth",
        f"select trick_no + 1 as trick, {_interval('mean_points')}, {_interval('mean_bidder_points')} "
        "from {mart} where {data} order by trick_no",
        "Mean points of the first, second … eighth trick: for whoever takes it, and for the bidders.",
    ),
    Chart(
        "kaiser_human_vs_computer", "kaiser", "kaiser_human_vs_computer",
        "Contracts made, by player and partner",
        "select player || ' + ' || partner as pair, made_rate, made_rate_low, made_rate_high "
        "from {mart} where {data} order by all",
        "Share of their contracts that humans and computers made.", True,
    ),
    Chart(
        "belote_bid_success", "belote", "belote_bid_success",
        "How often the namer of trump wins, by position",
        "select declarer_position as position, sum(hands_made) as made, sum(hands) as hands from {mart} "
        "where {data} group by position order by position",
        "By position after the dealer.", True, share=True,
    ),
    Chart(
        "pinochle_bid_success", "pinochle", "pinochle_bid_success", "How often each bid is made",
        "select contract, sum(hands_made) as made, sum(hands) as hands from {mart} where {data} "
        "group by contract order by contract",
        "Share of the hands in which meld and counters reached the bid.", True, "line", share=True,
    ),
    Chart(
        "ruter_sju_place_calibration", "ruter_sju", "ruter_sju_place_calibration",
        "Places by dealt hand: estimated and true",
        "select mean_estimated_place as estimated_place, mean_place, mean_place_low, mean_place_high, "
        "mean_estimated_place as as_estimated from {mart} where {data} and "
        f"{_most_played('num_suits, cards_per_suit, num_players', 'hands')} order by all",
        "In tenths by the place estimated from the dealt cards, for the pack and number of players that were "
        "played most; on the line both are equal.",
        kind="line",
    ),
    Chart(
        "ruter_sju_bots", "ruter_sju", "ruter_sju_bots", "Who wins: smart, dumb and random bots",
        f"select kind, {_interval('win_rate', 'wins_of_a_fair_share', 'fair_win_rate')} "
        "from {mart} where {data} and "
        f"{_most_played(_BOTS, 'games', 'num_smart > 0 and num_dumb > 0')} order by kind",
        "Games won as a multiple of a fair share, for the mixture of smart and dumb bots that played most.",
    ),
    Chart(
        "five_card_draw_categories", "five_card_draw", "five_card_draw_categories",
        "How often each category wins",
        "select category, win_rate, win_rate_low, win_rate_high from {mart} where {data} and hands_known > 0 "
        "order by category_no desc",
        "Share of the known hands of a category that won something.", True,
    ),
    *(
        Chart(
            f"{game}_ratings", game, "ratings", "How strong each player is",
            f"select player_name as player, rating, rating - {_Z} * uncertainty as rating_low, "
            f"rating + {_Z} * uncertainty as rating_high from {{mart}} "
            f"where game = '{game}' and {{data}} and not is_pair "
            "qualify match_no = max(match_no) over (partition by player_name, player_kind) "
            f"order by match_no desc, player limit {MOST_PLAYERS}",
            "What openskill makes of who won, after the last match of each player; a beginner has 25. "
            "Those with most matches first.", kind="dots",
        )
        for game in ("belote", "five_card_draw")
    ),
    *(
        Chart(
            f"{game}_bids_against_par", game, "bids_against_par", "How often perfect play makes each bid",
            f"select {bid}, sum(hands_made_at_par) as made_at_par, sum(hands_judged) as hands from {{mart}} "
            f"where game = '{game}' and {{data}} group by all having sum(hands_judged) > 0 order by {bid}",
            "Share of the contracts that were bid and are made if all play perfectly and see all cards.",
            True, kind, share=True, made_by="analyse",
        )
        for game, bid, kind in (("kaiser", "contract", "line"), ("belote", "trump", "bars"))
    ),
    *(
        Chart(
            f"{game}_common_mistakes", game, "common_mistakes",
            "How often a card costs something, by what it does",
            "select move, sum(costly) as costly, sum(decisions) as decisions from {mart} "
            f"where game = '{game}' and {{data}} group by move order by sum(total_cost) desc",
            "Share of the cards played where there was a choice that cost something, all cards seen; first "
            "what cost most in all.", True, "bars", share=True, made_by="analyse",
        )
        for game in SIDED
    ),
    *(chart for game in SIDED for chart in (
        Chart(
            f"{game}_costs_by_trick", game, "costs_by_trick", "What a card costs, by trick",
            f"select trick_no + 1 as trick, {_mean(_DECLARERS)} as of_the_declaring_side, "
            f"{_mean(f'not {_DECLARERS}')} as of_the_others "
            f"from {{mart}} where game = '{game}' and {{data}} group by trick order by trick",
            "Mean points that a card led to less than the best one would have, all cards seen, where there "
            "was a choice. By what its player knew, it may have been right.", kind="line", made_by="analyse",
        ),
        Chart(
            f"{game}_luck_and_play", game, "player_costs", "Luck and play",
            "select coalesce(player_name, player_kind, 'unknown') as player, "
            f"{_interval('mean_par', 'par')}, {_interval('mean_cost_of_a_hand', 'cost_of_own_cards')} "
            f"from {{mart}} where game = '{game}' and {{data}} "
            f"order by hands desc, player limit {MOST_PLAYERS}",
            "Points a hand. Par is what the deals were worth to the player's side; the cost is what the "
            "player's own cards led to less than the best ones would have, all cards seen.",
            made_by="analyse",
        ),
    )),
)  # fmt: skip


def plot_of(store: Store, name: str, dataset: str | None = None) -> Plot:
    """The chart of this name, of a data set (default: the one with the most hands). Raises QueryError."""
    chart = next((chart for chart in CHARTS if chart.name == name), None)
    if chart is None:
        raise QueryError(f"there is no chart {shown(name)}; there are: {', '.join(c.name for c in CHARTS)}")
    with process.connect(store, {chart.mart, "hands_per_day"}) as connection:
        datasets = [found for game, found in connection.run(DATASETS).fetchall() if game == chart.game]
        if dataset not in (None, *datasets):
            raise QueryError(
                f"there are no hands of {chart.game} in a data set {shown(dataset)}; "
                f"there are: {', '.join(map(shown, datasets))}"
            )
        answer = connection.run(chart.query(dataset or next(iter(datasets), "")))
        return chart.plot((answer.names, answer.fetchall()))

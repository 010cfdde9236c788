"""Charts of the marts, where a chart says it better than a table.

Rows of several data sets are shown one data set at a time, as in the marts themselves.
"""

from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from cardlog.pipelines.sql.query import QueryError
from cardlog.web import hands
from cardlog.web.names import typed
from cardlog.web.pages import page
from cardlog.web.plots import NoPlot, of_rows, with_share
from cardlog.web.site import NO_MARTS, Site, has_marts


@dataclass(frozen=True)
class Chart:
    """A chart of a mart.

    sql
        Labels or x first, then numbers; ``{data}`` is the condition for the data set.
    share
        Whether the numbers are hits and rows; their share is drawn, with its interval.
    kind
        None: what suits the first column.
    """

    game: str
    mart: str
    title: str
    sql: str
    says: str
    percent: bool = False
    kind: str | None = None
    share: bool = False


def _most_played(columns: str, rows: str, among: str = "true") -> str:
    """The condition for the variant of a game with the most rows: intervals are of one variant."""
    return (
        f"({columns}) = (select ({columns}) from {{mart}} where {{data}} and {among} "
        f"group by {columns} order by sum({rows}) desc, {columns} limit 1)"
    )


_BOTS: Final = "num_suits, cards_per_suit, num_players, num_smart, num_dumb, num_random"

CHARTS: Final = (
    Chart(
        "kaiser", "kaiser_bid_success", "How often each bid is made",
        "select contract, sum(hands_made) as made, sum(hands) as hands from {mart} where {data} "
        "group by contract order by contract",
        "Share of the hands in which the bidders took what they bid.", True, "line", share=True,
    ),
    Chart(
        "kaiser", "kaiser_bid_success", "How often each bid is the contract",
        "select contract, sum(hands) as hands from {mart} where {data} group by contract order by contract",
        "Hands by the winning bid.", kind="bars",
    ),
    Chart(
        "kaiser", "kaiser_points_per_trick", "What each trick is worth",
        "select trick_no + 1 as trick, mean_points, mean_points_low, mean_points_high, "
        "mean_bidder_points, mean_bidder_points_low, mean_bidder_points_high "
        "from {mart} where {data} order by trick_no",
        "Mean points of the first, second … eighth trick: for whoever takes it, and for the bidders.",
    ),
    Chart(
        "kaiser", "kaiser_human_vs_computer", "Contracts made, by player and partner",
        "select player || ' + ' || partner as pair, made_rate, made_rate_low, made_rate_high "
        "from {mart} where {data} order by all",
        "Share of their contracts that humans and computers made.", True,
    ),
    Chart(
        "belote", "belote_bid_success", "How often the namer of trump wins, by position",
        "select declarer_position as position, sum(hands_made) as made, sum(hands) as hands from {mart} "
        "where {data} group by position order by position",
        "By position after the dealer.", True, share=True,
    ),
    Chart(
        "pinochle", "pinochle_bid_success", "How often each bid is made",
        "select contract, sum(hands_made) as made, sum(hands) as hands from {mart} where {data} "
        "group by contract order by contract",
        "Share of the hands in which meld and counters reached the bid.", True, "line", share=True,
    ),
    Chart(
        "ruter_sju", "ruter_sju_place_calibration", "Places by dealt hand: estimated and true",
        "select mean_estimated_place as estimated_place, mean_place, mean_place_low, mean_place_high, "
        "mean_estimated_place as as_estimated from {mart} where {data} and "
        f"{_most_played('num_suits, cards_per_suit, num_players', 'hands')} order by all",
        "In tenths by the place estimated from the dealt cards, for the pack and number of players that were "
        "played most; on the line both are equal.",
        kind="line",
    ),
    Chart(
        "ruter_sju", "ruter_sju_bots", "Who wins: smart, dumb and random bots",
        "select kind, win_rate / fair_win_rate as wins_of_a_fair_share, "
        "win_rate_low / fair_win_rate as wins_of_a_fair_share_low, "
        "win_rate_high / fair_win_rate as wins_of_a_fair_share_high from {mart} where {data} and "
        f"{_most_played(_BOTS, 'games', 'num_smart > 0 and num_dumb > 0')} order by kind",
        "Games won as a multiple of a fair share, for the mixture of smart and dumb bots that played most.",
    ),
    Chart(
        "five_card_draw", "five_card_draw_categories", "How often each category wins",
        "select category, win_rate, win_rate_low, win_rate_high from {mart} where {data} and hands_known > 0 "
        "order by category_no desc",
        "Share of the known hands of a category that won something.", True,
    ),
    Chart(
        "five_card_draw", "five_card_draw_categories", "How often each category is held",
        "select category, hands_dealt as dealt, hands_known as held_at_the_end from {mart} where {data} "
        "order by category_no desc",
        "Hands, as dealt and after the draw, of players whose cards the log shows from the deal on.",
        kind="bars",
    ),
)  # fmt: skip


def show(site: Site, request: Request) -> Response:
    """``/charts?game=kaiser&dataset=playedhand-csv``."""
    store = site.now()
    games = {game: hands.title(game) for game in dict.fromkeys(chart.game for chart in CHARTS)}
    game = request.query_params.get("game", "")
    values: dict[str, Any] = {"games": games, "game": "", "datasets": [], "plots": [], "problem": None}
    values["behind"] = site.behind(store, request)
    if not has_marts(store):
        return page(request, "charts.html", values | {"dataset": "", "problem": NO_MARTS})
    sql = "select game, dataset from hands_per_day group by all order by sum(hands) desc"
    stored = site.asking.own(store, {"hands_per_day"}, sql).rows
    if game not in games:
        game = next((name for name, _ in stored if name in games), next(iter(games)))
    datasets = [dataset for name, dataset in stored if name == game]
    dataset = typed(request.query_params.get("dataset", ""))
    dataset = dataset if dataset in datasets else next(iter(datasets), "")
    plots = [_plot(site, store, chart, dataset) for chart in CHARTS if chart.game == game]
    values |= {"game": game, "datasets": datasets, "dataset": dataset, "plots": plots}
    return page(request, "charts.html", values)


def _plot(site: Site, store: Any, chart: Chart, dataset: str) -> dict[str, Any]:
    """A chart with the query it was made by, or why there is none."""
    sql = chart.sql.format(mart=chart.mart, data="dataset = ?")
    try:
        found = site.asking.own(store, {chart.mart}, sql, [dataset] * sql.count("?"))
        made = of_rows(*(with_share(found.names, found.rows) if chart.share else (found.names, found.rows)))
        problem = None
    except (NoPlot, QueryError) as why:
        made, problem = None, str(why)
    if made is not None:
        made |= {"title": chart.title, "percent": chart.percent, "kind": chart.kind or made["kind"]}
    asked = sql.replace("?", "'" + dataset.replace("'", "''") + "'")
    return {"chart": chart, "plot": made, "problem": problem, "sql": asked}

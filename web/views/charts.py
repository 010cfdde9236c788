"""The charts of a game, each with its query and its numbers."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from cardlog.pipelines.charts.catalog import CHARTS, DATASETS, Chart
from cardlog.pipelines.sql.query import QueryError
from cardlog.pipelines.visible import shown
from cardlog.web import hands
from cardlog.web.names import typed
from cardlog.web.pages import page
from cardlog.web.site import NO_MARTS, Site, has_marts


def show(site: Site, request: Request) -> Response:
    """``/charts?game=kaiser&dataset=playedhand-csv``."""
    store = site.now()
    games = {game: hands.title(game) for game in dict.fromkeys(chart.game for chart in CHARTS)}
    game = request.query_params.get("game", "")
    values: dict[str, Any] = {"games": games, "game": "", "datasets": [], "plots": [], "problem": None}
    values["behind"] = site.behind(store, request)
    if not has_marts(store):
        return page(request, "charts.html", values | {"dataset": "", "problem": NO_MARTS})
    stored = site.asking.own(store, {"hands_per_day"}, DATASETS).rows
    if game not in games:
        game = next((name for name, _ in stored if name in games), next(iter(games)))
    datasets = [dataset for name, dataset in stored if name == game]
    dataset = typed(request.query_params.get("dataset", ""))
    dataset = dataset if dataset in datasets else next(iter(datasets), "")
    plots = [_plot(site, store, chart, dataset) for chart in CHARTS if chart.game == game]
    values |= {
        "game": game,
        "datasets": [(name, shown(name)) for name in datasets],
        "dataset": dataset,
        "plots": plots,
    }
    return page(request, "charts.html", values)


def _plot(site: Site, store: Any, chart: Chart, dataset: str) -> dict[str, Any]:
    """A chart with the query it was made by, or why there is none."""
    drawn: dict[str, Any] = {"chart": chart, "plot": None, "problem": None, "sql": chart.query(dataset)}
    try:
        found = site.asking.own(store, {chart.mart}, drawn["sql"])
        return drawn | {"plot": chart.plot((found.names, found.rows))}
    except QueryError as why:
        return drawn | {"problem": str(why)}

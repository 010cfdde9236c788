"""The charts of a game, each with its query and its numbers."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from cardlog import models
from cardlog.pipelines.charts.catalog import DATASETS, Chart, charts
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.text.visible import shown
from cardlog.web import hands
from cardlog.web.pages import page
from cardlog.web.site import Site, fields_of, has_marts, is_analysed


def show(site: Site, request: Request) -> Response:
    """``/charts?game=kaiser&dataset=playedhand-csv``."""
    store, fields = site.now(), fields_of(request)
    games = {game: hands.title(game) for game in dict.fromkeys(chart.game for chart in charts())}
    values: dict[str, Any] = site.mart_values(request, store) | {"games": games}
    marts = has_marts(store)
    pairs = site.asking.run(store, {"hands_per_day"}, DATASETS).rows if marts else []
    game = fields.get("game", "")
    if game not in games:
        game = next((name for name, _ in pairs if name in games), next(iter(games)))
    datasets = [dataset for name, dataset in pairs if name == game]
    dataset = fields.get("dataset", "")
    dataset = dataset if dataset in datasets else next(iter(datasets), "")
    values |= {
        "game": game,
        "can_be_analysed": models.game(game).has_solver and not is_analysed(site.now("analysis"), game),
        "is_analysing": game in site.builder.analysing,
        "datasets": [(name, shown(name)) for name in datasets],
        "dataset": dataset,
        "plots": [_plot(site, store, chart, dataset) for chart in charts() if marts and chart.game == game],
    }
    return page(request, "charts.html", values)


def _plot(site: Site, store: Any, chart: Chart, dataset: str) -> dict[str, Any]:
    """A chart and its query, or why there is none."""
    values: dict[str, Any] = {"chart": chart, "plot": None, "problem": None, "sql": chart.query(dataset)}
    try:
        result = site.asking.run(store, {chart.mart}, values["sql"])
        return values | {"plot": chart.plot((result.names, result.rows))}
    except QueryError as error:
        return values | {"problem": str(error)}

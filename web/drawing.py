"""Charts as SVG, drawn on the server: pages need no script for them, and their colours come from page.css."""

import json
from functools import lru_cache
from typing import Any, Final
from xml.etree import ElementTree

from markupsafe import Markup

from cardlog.pipelines.charts.plot import Plot

KEPT: Final = 128
"""Drawings in the cache, so that the same numbers are drawn once."""
SERIES: Final = 6
"""Number of series colours in page.css."""
_SVG: Final = "{http://www.w3.org/2000/svg}"
_AXIS: Final = {"labelColor": "var(--quiet)", "titleColor": "var(--ink)", "titleFontWeight": "normal"}
_LINES: Final = {"gridColor": "var(--line)", "domainColor": "var(--line)", "tickColor": "var(--line)"}
_INK: Final = {"color": "var(--ink)"}
THEME: Final[dict[str, Any]] = {
    "background": None,
    "font": "system-ui, DejaVu Sans, sans-serif",
    "view": {"stroke": None},
    "axis": {**_AXIS, **_LINES, "labelFontSize": 13, "titleFontSize": 13},
    "legend": {"labelColor": "var(--ink)", "labelFontSize": 13, "labelLimit": 200},
    "range": {"category": [f"var(--series-{number})" for number in range(1, SERIES + 1)]},
    "style": {"errorbar-rule": _INK, "errorbar-ticks": _INK},
}


def svg(plot: Plot) -> Markup:
    """The drawing of a chart, with its title and its sentence for screen readers; a mark's numbers are its
    title, which browsers show as a tooltip."""
    return _drawn(json.dumps(plot.altair().to_dict(validate=False)))


@lru_cache(KEPT)
def _drawn(chart: str) -> Markup:
    import vl_convert

    spec = json.loads(chart)
    texts = spec.pop("title")
    ElementTree.register_namespace("", _SVG.strip("{}"))
    root = ElementTree.fromstring(
        vl_convert.vegalite_to_svg(spec, config=THEME, vl_version="6.1", allowed_base_urls=[])
    )
    for mark in root.iter():
        text = mark.attrib.pop("aria-label", "")
        kind = mark.attrib.pop("aria-roledescription", "")
        mark.attrib.pop("role", None)
        if text and kind in ("bar", "point"):
            ElementTree.SubElement(mark, f"{_SVG}title").text = text
    root.set("role", "img")
    root.set("aria-label", texts["text"])
    for index, (tag, text) in enumerate((("title", texts["text"]), ("desc", " ".join(texts["subtitle"])))):
        element = ElementTree.Element(f"{_SVG}{tag}")
        element.text = text
        root.insert(index, element)
    return Markup(ElementTree.tostring(root, encoding="unicode"))

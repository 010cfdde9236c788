"""A chart that notebooks show without a network: drawn on this machine."""

from typing import Any

import altair as alt


class ShownChart(alt.LayerChart):  # type: ignore[misc]
    """A chart whose picture is SVG, rather than a script that a notebook would have to fetch."""

    def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, Any]:
        from vl_convert import vegalite_to_svg

        return {"image/svg+xml": vegalite_to_svg(self.to_json()), "text/plain": repr(self)}

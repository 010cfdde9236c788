"""Hands that were not stored: why, their text with the bad line marked, and trying them again."""

from typing import Any, Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cardlog.pipelines.text.texts import _
from cardlog.pipelines.upkeep import quarantine
from cardlog.web import hands
from cardlog.web.pages import page
from cardlog.web.site import Site

MOST_ENTRIES: Final = 200
MOST_LINES: Final = 2_000
"""Lines of a text that are shown before and after the bad one."""


def show(site: Site, request: Request) -> Response:
    """``/quarantine?reason=must_follow``: counts by reason, and entries."""
    store = site.now("events", "ingests", "quarantine")
    reason = request.query_params.get("reason") or None
    entries = quarantine.entries(store, reason, MOST_ENTRIES)
    counts = quarantine.counts(store)
    values = {
        "reason": reason,
        "counts": counts,
        "entries": entries,
        "total": sum(
            count["hands"] - count["resolved"] for count in counts if reason in (None, count["reason"])
        ),
        "waiting": sum(count["hands"] - count["stored_since"] - count["resolved"] for count in counts),
        "outcome": request.query_params.get("outcome"),
    }
    return page(request, "quarantine.html", values)


def one(site: Site, request: Request) -> Response:
    """``/quarantine/ID``: one entry."""
    store = site.now("events", "ingests", "quarantine")
    entry = quarantine.entry(store, request.path_params["entry_id"])
    wrong = quarantine.wrong_line(entry)
    lines = list(enumerate(entry["raw"].splitlines(), entry["first_line"]))
    middle = 0 if wrong is None else wrong - entry["first_line"]
    first = max(0, middle - MOST_LINES)
    sentence, _sep, legal = entry["message"].partition(" Legal: ")
    values: dict[str, Any] = {
        "entry": entry,
        "title": hands.title(entry["game"]) if entry["game"] else "",
        "sentence": sentence,
        "legal": legal.removesuffix("."),
        "wrong": wrong,
        "lines": lines[first : middle + MOST_LINES],
        "left_out": len(lines) - len(lines[first : middle + MOST_LINES]),
    }
    return page(request, "entry.html", values)


def retry(site: Site, request: Request) -> Response:
    """POST: read all entries again, and store what is legal now."""
    result = quarantine.retry(site.store)
    stored = result.counts.hands_stored
    outcome = _("%(n)s stored now.", n=f"{stored:,}") if stored else _("None of them can be stored now.")
    return RedirectResponse(f"/quarantine?outcome={quote(outcome)}", 303)

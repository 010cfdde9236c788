"""A player's results as one HTML page that asks for nothing: text, tables and pictures drawn here."""

from collections.abc import Iterable, Mapping
from html import escape
from importlib.util import find_spec
from typing import Any, Final

from cardlog.models import GAMES
from cardlog.pipelines.charts.plot import Plot
from cardlog.pipelines.hands import drawing
from cardlog.pipelines.sql import hand_lookup, known_names, process
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.sql.results import cell_text
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.visible import one_line

MOST_HANDS: Final = 5
_PAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
table {{ border-collapse: collapse }}
td, th {{ padding: .15rem .8rem; text-align: right; border-top: 1px solid #ccc }}
td {{ white-space: nowrap }}
pre {{ overflow-x: auto; line-height: 1.3 }} svg {{ max-width: 100%; height: auto }}
</style><h1>{title}</h1>{body}</html>
"""
RESULTS: Final = """
    select dataset, hands, complete_hands, share_won, share_won_low, share_won_high, mean_score_difference,
        mean_place, net
    from players where game = $1 and coalesce(player_name, player_kind) = $2 order by hands desc
"""
MONTHS: Final = """
    select strftime(month, '%Y-%m') as month, hands, share_won, share_won_low, share_won_high, made_rate,
        mean_cost_of_a_hand, rating
    from player_months where game = $1 and coalesce(player_name, player_kind) = $2 and month is not null
    order by month, hands
"""
RATING: Final = """
    select dataset, rating, rating - 1.96 * uncertainty as low, rating + 1.96 * uncertainty as high,
        match_no as matches
    from ratings where game = $1 and coalesce(player_name, player_kind) = $2 and not is_pair
    qualify match_no = max(match_no) over (partition by dataset, player_kind) order by matches desc
"""
_MINE: Final = """
    select hand_id, seat, role from seats
    where game = $1 and coalesce(player_name, player_kind) = $2 and hand_status = 'complete'
"""
COSTS: Final = """
    with mine as ({}),
    priced as (
        select *, step = min(step) over (partition by hand_id, trick_no) as leads
        from analysis where game = $1 and hand_id in (select hand_id from mine)
    )
    select concat_ws(', ', case role when 'declarer' then role when 'partner' then 'declarer’s partner'
            else if(role is null, null, 'against the declarer') end, if(leads, 'leads', 'follows')) as kind,
        count(*)::int as decisions, avg(cost_open) as cost, avg(cost_known) as known,
        avg((cost_open > 0)::int) as costly
    from priced join mine using (hand_id, seat)
    where legal_actions > 1 and trick_no is not null group by 1 order by cost desc
"""
"""What kinds of decisions cost, in the hands that a query gives with the seat and its role."""
COSTLY: Final = f"""
    select hand_id, printf('its cards cost %g points', round(sum(cost_open), 1)) as why,
        arg_max({{'trick': trick_no + 1, 'card': card, 'best': best_cards}}, cost_open) as worst
    from analysis semi join ({_MINE}) as mine using (hand_id, seat)
    group by hand_id having sum(cost_open) > 0 order by sum(cost_open) desc, hand_id limit {MOST_HANDS}
"""
WORST: Final = f"""
    select hand_id, 'result ' || coalesce(net, team_score - other_score, -place) as why
    from seats semi join ({_MINE}) as mine using (hand_id, seat)
    order by coalesce(net, team_score - other_score, -place), hand_id limit {MOST_HANDS}
"""


def report(store: Store, player: str) -> str:
    """The page. Raises QueryError if there is no such player or no marts, StoreError."""
    now = pinned(store)
    with process.connect(now) as connection:

        def asked(sql: str, game: str) -> tuple[list[str], list[tuple[Any, ...]]]:
            found = connection.execute(sql, [game, player])
            return found.names, found.fetchall()

        games = [game for game in GAMES if asked(RESULTS, game)[1]]
        if not games:
            known = known_names.known_names(store, known_names.PLAYER, player)
            raise QueryError(known_names.unknown(known_names.PLAYER, player, known))
        parts = []
        for game in games:
            months, costs = asked(MONTHS, game), asked(COSTS.format(_MINE), game)
            hands = asked(COSTLY if costs[1] else WORST, game)[1]
            parts += [f"<h2>{escape(GAMES[game].title)}</h2><h3>Results</h3>", _table(*asked(RESULTS, game))]
            parts += ["<h3>Month by month</h3>", _trend(*months), _table(*months)]
            parts += ["<h3>Rating, with its doubt</h3>", _table(*asked(RATING, game))]
            parts += ["<h3>What kinds of decisions cost</h3>", _table(*costs)]
            parts += [f"<h3>{len(hands)} hands worth another look</h3>"]
            parts += [_hand(now, *hand) for hand in hands]
    return _PAGE.format(title=escape(one_line(player)), body="".join(parts))


def _table(names: list[str], rows: Iterable[tuple[Any, ...]]) -> str:
    """A table without the columns that have nothing in any row."""
    rows = list(rows)
    kept = [place for place in range(len(names)) if any(row[place] is not None for row in rows)]
    if not kept:
        return "<p>Nothing is known of it.</p>"
    head = "".join(f"<th>{escape(names[place].replace('_', ' '))}" for place in kept)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(one_line(cell_text(row[place])))}" for place in kept) for row in rows
    )
    return f"<table><tr>{head}{body}</table>"


def _trend(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    """The share of hands won, month by month, as a picture; nothing with fewer than two months, or without
    the extra ``cardlog[web]``, which draws it."""
    months = list({row[0]: row for row in rows if row[2] is not None}.values())
    if len(months) < 2 or find_spec("vl_convert") is None:
        return ""
    from vl_convert import vegalite_to_svg

    x, _, share, low, high, *_ = map(list, zip(*months, strict=True))
    plot = Plot("Hands won", "line", x, {"won": share}, "month", intervals={"won": (low, high)}, percent=True)
    svg: str = vegalite_to_svg(plot.altair().to_json())
    return svg


def _hand(store: Store, hand_id: str, why: str, worst: Mapping[str, Any] | None = None) -> str:
    """A hand, why it is shown, and its costliest card if that is of a trick and another was better."""
    if worst and None not in worst.values():
        played, better = (drawing.card(worst[name][:2]).plain for name in ("card", "best"))
        why += f", the costliest in trick {worst['trick']}: {played} instead of {better}"
    text = drawing.text(hand_lookup.find(store, hand_id))
    return f"<p>{escape(hand_id[:8])}: {escape(why)}<pre>{escape(text)}</pre>"

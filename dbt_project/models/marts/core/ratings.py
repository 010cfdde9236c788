"""What each player and each pair of partners is rated after each match, by openskill: the model of Plackett
and Luce with the updates of Weng and Lin (2011). An increment begins at the first match that is new."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, groupby
from statistics import fmean
from typing import Any

import pyarrow as pa
from openskill.models import PlackettLuce

MODEL = PlackettLuce()
SCHEMA = pa.schema(
    [
        ("game", pa.string()),
        ("dataset", pa.string()),
        ("is_pair", pa.bool_()),
        ("player_name", pa.string()),
        ("player_kind", pa.string()),
        ("partner_name", pa.string()),
        ("partner_kind", pa.string()),
        ("match_id", pa.string()),
        ("match_date", pa.timestamp("us", "UTC")),
        ("match_no", pa.int64()),
        ("is_won", pa.bool_()),
        ("rating", pa.float64()),
        ("uncertainty", pa.float64()),
        ("ingest_no", pa.int64()),
    ]
)
FIRSTS = """
    with firsts as (
        select game, dataset, min((coalesce(epoch_us(added_date), -1), match_id)) as first
        from sides where is_over and ingest_no > {last} group by all
    )
"""
MATCHES = """
    select
        sides.game, sides.dataset, is_pair, match_id, epoch_us(added_date) as played_at, any_value(ingest_no),
        list(struct_pack(
            side := if(is_pair, seat, coalesce(team, seat)), is_won := is_won,
            who := [player_name, player_kind, partner_name, partner_kind],
            is_named := player_name is not null and (partner_name is not null or not is_pair)
        ) order by seat)
    from sides join firsts
    on sides.game = firsts.game and sides.dataset is not distinct from firsts.dataset
    where is_over and (coalesce(played_at, -1), match_id) >= first
    group by all
    order by sides.game, sides.dataset, is_pair, played_at nulls first, match_id
"""
BEFORE = """
    select
        old.game, old.dataset, is_pair, player_name, player_kind, partner_name, partner_kind,
        arg_max(rating, match_no), arg_max(uncertainty, match_no), max(match_no)
    from {this} as old join firsts
    on old.game = firsts.game and old.dataset is not distinct from firsts.dataset
    where (coalesce(epoch_us(match_date), -1), match_id) < first
    group by all
"""


def model(dbt: Any, session: Any) -> Any:
    """One row per player or pair and match that is over."""
    dbt.config(materialized="incremental", unique_key="match_id")
    sides = dbt.ref("int_match_sides")
    last, known = -1, {}
    if dbt.is_incremental:
        [(own,)] = session.sql(f"select coalesce(max(ingest_no), -1) from {dbt.this}").fetchall()
        [(tested,)] = dbt.source("store", "tested").fetchall()
        last = max(own, tested)
        before = sides.query("sides", (FIRSTS + BEFORE).format(last=last, this=dbt.this)).fetchall()
        known = {row[:7]: row[7:] for row in before}
    matches = sides.query("sides", (FIRSTS + MATCHES).format(last=last)).fetchall()
    rows = [row for match in matches for row in rated(known, *match)]
    columns = zip(*rows, strict=True) if rows else [[] for _ in SCHEMA]
    arrays = [pa.array(values, field.type) for values, field in zip(columns, SCHEMA, strict=True)]
    return session.from_arrow(pa.table(arrays, SCHEMA))


def rated(  # noqa: PLR0913
    known: dict[Any, Any],
    game: str,
    dataset: str | None,
    is_pair: bool,
    match_id: str,
    played_at: int | None,
    ingest_no: int,
    seats: list[dict[str, Any]],
) -> Iterator[tuple[Any, ...]]:
    """Rate a match; `known` has what each player was rated before, and in how many matches."""
    if not any(seat["is_named"] for seat in seats):
        return
    teams = [list(team) for _, team in groupby(sorted(seats, key=side_of), side_of)]
    keys = [[(game, dataset, is_pair, *seat["who"]) for seat in team] for team in teams]
    new = MODEL.rating()
    states = {key: known.get(key, (new.mu, new.sigma, 0)) for team in keys for key in team}
    before = [[MODEL.rating(*states[key][:2]) for key in team] for team in keys]
    after = MODEL.rate(before, ranks=[1 if team[0]["is_won"] else 2 for team in teams])
    found = defaultdict(list)
    for seat, key, rating in zip(chain(*teams), chain(*keys), chain(*after), strict=True):
        if seat["is_named"]:
            found[key].append((rating.mu, rating.sigma, seat["is_won"]))
    for key, results in found.items():  # who sits in two seats has the mean of both
        mu, sigma, won = map(fmean, zip(*results, strict=True))
        known[key] = mu, sigma, states[key][2] + 1
        yield (*key, match_id, played_at, known[key][2], won == 1, mu, sigma, ingest_no)


def side_of(seat: dict[str, Any]) -> Any:
    """The side that a seat plays for."""
    return seat["side"]

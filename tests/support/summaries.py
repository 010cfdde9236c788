"""Which rows the rates and means of the marts are over, and a comparison with figures from these rows."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from operator import itemgetter
from typing import Any

import duckdb
import numpy as np
import pytest

from cardlog.models.poker import ranks
from cardlog.schemas import cards
from tests.support import intervals
from tests.support.intervals import Interval

Marts = duckdb.DuckDBPyConnection
"""A connection to marts and tables."""
Row = dict[str, Any]


TO_DECLARER = "['declarer', 'left_defender', 'partner', 'right_defender'][1 + ({} - declarer + 4) % 4]"
POSITION = "['dealer', 'left', 'partner', 'right'][1 + (declarer - dealer + 4) % 4] as declarer_position"
UNIT = "coalesce(match_id, hand_id) as unit"
DECK = "num_suits, cards_per_suit, num_players"
MIX = "num_smart, num_dumb, num_random"
SIDES = """select hand_id, list(coalesce(player_kind, '?')) as kinds,
    coalesce(list_sort(list(coalesce(player_kind, '?')) filter (where team = 0)), []) as kinds_0,
    coalesce(list_sort(list(coalesce(player_kind, '?')) filter (where team = 1)), []) as kinds_1
    from seats group by all"""
GAMES = """(
    select * from ruter_sju_games where status = 'complete' and is_by_the_book and num_human = 0
) join steps.int_ruter_sju_seats using (hand_id)"""

WHO = f"""(
    select hand_id, seat, hands.match_id, seats.dataset, player_name, player_kind, team,
    {TO_DECLARER.format("seat")} as role, contract, trump, team_score - other_score as mean_return, made
    from seats join hands using (hand_id) where hands.status = 'complete'
)"""
OF_SEATS = f"""select hand_id, seat, match_id, analysis.game, dataset, player_name, player_kind,
    role, contract, trump, mean_return,
    sum(cost_open)::double as mean_cost_of_a_hand, any_value(if(team = 0, par, -par))::double as mean_par,
    any_value((
        select sum(other.cost_open)::double from analysis as other
        where other.hand_id = analysis.hand_id and other.seat = (analysis.seat + 2) % 4
    )) as mean_partner_cost,
    any_value((
        select sum(other.cost_open)::double from analysis as other
        where other.hand_id = analysis.hand_id and other.seat % 2 <> team
    )) as mean_opponents_cost
    from analysis join {WHO} using (hand_id, seat) join pars using (hand_id) group by all"""
SEATS = "mean_return, mean_cost_of_a_hand, mean_par, mean_partner_cost, mean_opponents_cost"
COSTS = """cost_open > 0 as costly_rate, cost_open::double as mean_cost_open,
    cost_known::double as mean_cost_known"""
PRICED = f"analysis join {WHO} using (hand_id, seat)"
CHOICES = f"{PRICED} where legal_actions > 1 and trick_no is not null"
"""The marts that sum up cards are of games of tricks; Ruter Sju has rows in `analysis` alone."""
MOVE = """if(order_in_trick = 0, if(coalesce(suit = trump, false), 'leads trump', 'leads a plain suit'),
    if(followed, 'follows', if(trumped, 'trumps', 'discards')))"""
MARGIN = """(
    select t - contract from range(-3, 14) as taken(t) where exact and game = 'kaiser'
    and if(trump = 'N', 2, 1) * if(t >= contract, t, -contract) - (10 - t) = if(team = 0, par, -par)
)"""
"""The points that the declarer's side takes at par are those with which Kaiser's scores come to it."""

JUDGED = f"""(
    select *, ntile(10) over (partition by dataset, {DECK} order by round(guess, 9), hand_id, seat) as tenth
    from (
        select *, coalesce(estimated_place, (num_players + 1) / 2) as guess,
        coalesce(estimated_win_rate, 1 / num_players) as chance, estimated_place is null as is_new
        from steps.int_ruter_sju_dealt_hands left join ruter_sju_place_estimates
        using (dataset, {DECK}, kind, num_extremes, num_center, num_opener) where hand_id >= 'b'
    )
)"""
"""The hands that no estimate was made of, in tenths by their estimates."""

BET = """raises_before > 0 as is_raised, action = 'fold' as fold_rate, action = 'raise' as raise_rate,
    raised_by as mean_raise, if(raises_before > 0, action = 'fold', null) as fold_to_raise_rate"""
BLUFF = """if(
        action = 'raise' and is_after_draw and known_from_deal, category = 'high card', null
    ) as bluff_rate, if(bluff_rate, won_unseen, null) as bluff_won_rate"""
HOLD_EM = "hold_em_players where hand_status = 'complete'"
PREFLOP = "if(could_act, vpip, null) as vpip_rate, if(could_act, pfr, null) as pfr_rate"
THREE_BET = "if(could_three_bet, three_bet, null) as three_bet_rate"
STEAL = "if(could_steal, stole, null) as steal_rate"
WON_AT_SHOWDOWN = "if(went_to_showdown, won_at_showdown, null) as won_at_showdown_rate"
BB = "100 * net / nullif(big_blind, 0) as bb_per_100"
ADJUSTED_BB = "100 * adjusted_net / nullif(big_blind, 0) as adjusted_bb_per_100"
AGGRESSION = """unnest(
    [null] || [true for raise in range(raises_after_flop)]
    || [false for other in range(calls_after_flop + folds_after_flop)]
) as aggression_rate"""

SUMMARIES: dict[str, str] = {
    "costs_by_trick": f"select game, dataset, player_kind, role, trick_no, {UNIT}, {COSTS} from {CHOICES}",
    "lead_costs": f"""select game, dataset, role as leader, trick_no = 0 as is_opening, rank,
        coalesce(suit = trump, false) as is_trump, {UNIT}, {COSTS}
        from {PRICED} join (select hand_id, seat, trick_no, rank, suit from plays where is_led)
        using (hand_id, seat, trick_no) where legal_actions > 1""",
    "costs_by_contract": f"""select game, dataset, player_kind, role, contract, trump, {UNIT}, {SEATS}
        from ({OF_SEATS});
        select game, dataset, player_kind, role, contract, trump, {UNIT}, {COSTS}
        from {CHOICES}""",
    "bids_against_par": f"""select game, dataset, player_kind, contract, trump, {UNIT}, made as made_rate,
        mean_return, if(team = 0, par, -par)::double as mean_par, margin as mean_margin,
        if(exact and game in ('kaiser', 'belote'), mean_par >= 0, null) as made_at_par_rate,
        margin > 0 as underbid_rate
        from (select *, {MARGIN} as margin from {WHO} join pars using (hand_id)) where role = 'declarer'""",
    "common_mistakes": f"""select game, dataset, player_kind, role, trick_no, order_in_trick, {MOVE} as move,
        {UNIT}, {COSTS}, cost_known > 0 as costly_known_rate
        from {PRICED} join (select hand_id, seat, trick_no, order_in_trick, followed, trumped, suit
        from plays) using (hand_id, seat, trick_no) where legal_actions > 1""",
    "player_costs": f"""select game, dataset, player_name, player_kind, {UNIT}, {SEATS}
        from ({OF_SEATS});
        select game, dataset, player_name, player_kind, {UNIT}, {COSTS}
        from {CHOICES}""",
    "player_months": f"""select game, dataset, player_name, player_kind,
        date_trunc('month', added_date)::date as month, {UNIT}, won as share_won,
        team_score - other_score as mean_score_difference,
        if(hand_status = 'complete', place, null) as mean_place, if(is_declarer, made, null) as made_rate,
        cost as mean_cost_of_a_hand
        from seats join (select hand_id, added_date, made from hands) using (hand_id)
        left join (select hand_id, seat, sum(cost_open)::double as cost from analysis join hands
        using (hand_id) join pars using (hand_id) where status = 'complete' group by all)
        using (hand_id, seat)""",
    "kaiser_bid_success": f"""select dataset, contract, trump, {POSITION}, declarer, {UNIT},
        made as made_rate, declarer_points as mean_points, declarer_score as mean_score
        from hands where game = 'kaiser' and status = 'complete'""",
    "kaiser_dealer_bids": f"""select dataset, won_by, contract, {UNIT}, made as made_rate,
        declarer_points as mean_points, declarer_score as mean_score
        from hands join (select hand_id, won_by from steps.int_kaiser_auctions) using (hand_id)
        where status = 'complete'""",
    "kaiser_human_vs_computer": f"""select dataset, coalesce(player_kind, 'unknown') as player,
        coalesce(partner_kind, 'unknown') as partner, {UNIT}, amount is not null as bid_rate,
        amount as mean_bid, if(is_declarer, team_score > 0, null) as made_rate,
        if(is_declarer, team_points, null) as mean_points_as_declarer,
        if(is_declarer, team_score, null) as mean_score_as_declarer,
        if((seat - declarer) % 2 = 0, null, team_points) as mean_points_defending,
        team_points as mean_points, team_score as mean_score,
        (select count(*) from tricks where hand_id = seats.hand_id and winner = seats.seat) as mean_tricks
        from seats join (select hand_id, seat, amount from bids) using (hand_id, seat)
        join (select hand_id, declarer from hands where status = 'complete') using (hand_id)
        where game = 'kaiser'""",
    "kaiser_points_per_trick": f"""select dataset, trick_no, {UNIT}, points as mean_points,
        points * taken_by_bidders::int as mean_bidder_points, taken_by_bidders as taken_by_bidders_rate,
        kept_lead as kept_lead_rate, ruffed as ruffed_rate, cards like '%5H%' as five_of_hearts_rate,
        cards like '%3S%' as three_of_spades_rate
        from (select *, null as match_id from tricks_taken) where game = 'kaiser'
        and hand_status = 'complete'""",
    "kaiser_special_cards": f"""select dataset, card, taken_by, played_as, {UNIT}, trick_no as mean_trick_no,
        declarer_points as mean_bidder_points, made as made_rate
        from steps.int_kaiser_special_cards;
        select dataset, card, ways.taken_by, ways.played_as, {UNIT},
        (cards.taken_by, cards.played_as) = (ways.taken_by, ways.played_as) as share_of_card
        from steps.int_kaiser_special_cards as cards
        join (select distinct dataset, card, taken_by, played_as from kaiser_special_cards) as ways
        using (dataset, card)""",
    "belote_bid_success": f"""select dataset, dialect, {POSITION}, trump, {UNIT}, made as made_rate,
        declarer_points as mean_points, hand_value as mean_hand_value, declarer_score as mean_score
        from hands join (select hand_id, dialect, hand_value from belote_recomputed_points) using (hand_id)
        where status = 'complete'""",
    "belote_declarations_held": f"""select dataset, dialect, kind, cards, points, {UNIT},
        counts as counted_rate
        from steps.int_belote_declarations join steps.stg_playedhand using (hand_id)""",
    "pinochle_bid_success": f"""select dataset, dialect, contract, trump, is_stuck, {UNIT},
        made as made_rate, declarer_meld as mean_meld, declarer_points as mean_counters,
        declarer_score as mean_score, defender_meld as mean_defender_meld,
        defender_score as mean_defender_score
        from steps.int_pinochle_hands where status = 'complete' and not thrown_in""",
    "pinochle_melds_by_kind": f"""select dataset, meld, {UNIT}, seat < coalesce(seats, 0) as seats_rate
        from (select hand_id, match_id, dataset, unnest(range(seats_shown)) as seat
        from steps.int_pinochle_hands where status = 'complete')
        join (select distinct dataset, meld from pinochle_melds_by_kind) using (dataset)
        left join (select hand_id, meld, count(*) as seats from steps.int_pinochle_melds group by all)
        using (hand_id, meld)""",
    "pinochle_throw_ins": f"""select dataset, dialect, is_stuck, {UNIT}, thrown_in as thrown_in_rate,
        if(thrown_in, contract, null) as mean_contract, if(thrown_in, declarer_score, null) as mean_score
        from steps.int_pinochle_hands where status = 'complete'""",
    "pinochle_refused_plays": f"""select dataset, trick_no, {UNIT}, refused > 0 as refused_rate
        from steps.int_pinochle_refusals""",
    "five_card_draw_categories": f"""select dataset, category, {UNIT}, net > 0 as win_rate, net as mean_net
        from (select dataset, category from five_card_draw_categories) left join (
        select *, category_after as category from five_card_draw_players
        where hand_status = 'complete' and known_from_deal) using (dataset, category)""",
    "five_card_draw_draws": f"""select dataset, cards_exchanged, {UNIT},
        rank_after < rank_before as improved_rate, net > 0 as win_rate, net as mean_net
        from five_card_draw_players where hand_status = 'complete' and cards_exchanged is not null""",
    "five_card_draw_positions": f"""select dataset, dialect, players_in_hand, dealing_position, {UNIT},
        net > 0 as win_rate, net as mean_net
        from five_card_draw_players where hand_status = 'complete'""",
    "ruter_sju_rounds": f"""select dataset, {DECK}, {MIX}, {UNIT}, true_rounds as mean_rounds,
        turns as mean_turns, rounds as mean_program_rounds, is_frozen as frozen_rate
        from (select distinct on (hand_id) * from {GAMES})""",
    "ruter_sju_bots": f"""select dataset, {DECK}, {MIX}, kind, {UNIT}, mean_place, win_rate, last_rate
        from (select hand_id, match_id, dataset, {DECK}, {MIX}, kind, sum(place) / count(*) as mean_place,
        min(place) = 1 as win_rate, max(place) = max(num_players) as last_rate from {GAMES}
        where num_smart + num_dumb + num_random = num_players group by all)""",
    "ruter_sju_winner_cards": f"""select dataset, {DECK}, card, {UNIT}, place = 1 as win_rate,
        place as mean_place, place = num_players as last_rate
        from {GAMES} join steps.int_ruter_sju_cards using (hand_id, seat)""",
    "ruter_sju_place_calibration": f"""select dataset, {DECK}, tenth, {UNIT}, guess as mean_estimated_place,
        chance as mean_estimated_win_rate, place = 1 as win_rate, place as mean_place,
        (place - guess) ** 2 as squared_error,
        (place - (num_players + 1) / 2) ** 2 as squared_error_of_the_middle
        from {JUDGED}""",
    "kaiser_settings": f"""select dataset, unnest(['min_bid', 'pass_cards', 'no_trump_bid_out',
        'game_over_at_minus_52']) as setting, unnest([setting_min_bid::text, setting_pass_cards::text,
        setting_no_trump_bid_out::text, setting_game_over_at_minus_52::text]) as setting_value, {UNIT},
        made as made_rate, trump = 'N' as no_trump_rate, contract as mean_contract,
        declarer_points as mean_points, declarer_score as mean_score, defender_score as mean_defender_score
        from hands join (select hand_id, columns('setting_.*') from playedhand) using (hand_id)
        where game = 'kaiser' and status = 'complete'""",
    "seatings": f"""select game, dataset, if(team is null, player_kind,
        least(player_kind, partner_kind)) as player_kind, if(team is null, null,
        greatest(player_kind, partner_kind)) as partner_kind, human_opponents, computer_opponents, {UNIT},
        won as win_rate, team_score - other_score as mean_score_difference, place as mean_place,
        net as mean_net
        from seats join (select one.hand_id, one.seat,
        count_if(other.player_kind = 'human') as human_opponents,
        count_if(other.player_kind = 'computer') as computer_opponents from seats as one
        join seats as other on one.hand_id = other.hand_id and one.seat <> other.seat
        and one.partner_seat is distinct from other.seat group by all) using (hand_id, seat)
        join ({SIDES}) using (hand_id) where hand_status = 'complete' and (team is null or seat = team)
        and if(team is null, length(list_distinct(kinds)) > 1, kinds_0 <> kinds_1)""",
    "opening_leads": f"""select game, dataset, {TO_DECLARER.format("leader")} as leader, cards[1] as rank,
        coalesce(cards[2] = trump, false) as is_trump, {UNIT}, tricks.leader = winner as taken_rate,
        if(tricks.leader in (0, 2), team_0_score > team_1_score, team_1_score > team_0_score) as win_rate
        from hands join (select hand_id, trick_no, leader, winner, cards from tricks) as tricks
        using (hand_id) where status = 'complete' and trick_no = 0""",
    "pinochle_melds_by_player": f"""select dataset, player_name, player_kind, {UNIT},
        amount > 0 as meld_rate, amount as mean_points, coalesce(length(melds.cards), 0) / 2 as mean_cards,
        if((declarer - seat) % 2 = 0, amount, null) as mean_points_declaring
        from (select hand_id, seat, amount, cards from events where kind = 'meld') as melds join seats
        using (hand_id, seat) join (select hand_id, declarer from hands) using (hand_id)
        where game = 'pinochle' and hand_status = 'complete'""",
    "ruter_sju_block_value": f"""select dataset, {DECK}, times_taken, {UNIT}, place = 1 as win_rate,
        place = num_players as last_rate, place as mean_place, turns_with_block as mean_turns_with_block
        from {GAMES} join (select hand_id, seat, count_if(took) as times_taken,
        count_if(blocked) as turns_with_block from (select hand_id, seat, visit_no,
        bool_or(action = 'block' and not is_going_on) as took, bool_or(action = 'blocked')
        or took as blocked from ruter_sju_acts group by all) group by all) using (hand_id, seat)""",
    "players": f"""select game, dataset, player_name, player_kind, {UNIT}, won as share_won,
        team_score - other_score as mean_score_difference,
        if(hand_status = 'complete', place, null) as mean_place
        from seats""",
    "bids_by_strength": f"""select game, dataset, strength,
        greatest(clubs, diamonds, hearts, spades) as longest_suit, {UNIT}, bid <> 'pass' as bid_rate,
        if(is_declarer, team_score > 0, null) as made_rate, if(is_declarer, team_score - other_score,
        null) as mean_lead_declaring, if(bid = 'pass', team_score - other_score, null) as mean_lead_passing
        from seats where hand_status = 'complete' and role is not null and strength is not null""",
    "five_card_draw_betting": f"""select dataset, player_name, is_computer, {UNIT}, {BET}, {BLUFF}
        from five_card_draw_bets where hand_status = 'complete'""",
    "five_card_draw_bets_by_strength": f"""select dataset, is_after_draw, raises_before > 0 as is_raised,
        category, {UNIT}, {BET}
        from five_card_draw_bets where hand_status = 'complete' and known_from_deal
        and category is not null""",
    "five_card_draw_starting_hands": f"""select dataset, category_before as category, leading_rank, {UNIT},
        (hand_id, seat, 'raise') in (select (hand_id, seat, action)
        from five_card_draw_bets) as raise_rate, (hand_id, seat, 'fold') in (select (hand_id, seat, action)
        from five_card_draw_bets) as fold_rate, net > 0 as win_rate, net as mean_net
        from five_card_draw_players join five_card_draw_classes on rank = rank_before
        where hand_status = 'complete' and known_from_deal""",
    "hold_em_player_stats": f"""select dataset, player_name, is_computer, {UNIT}, {PREFLOP}, {THREE_BET},
        {STEAL}, {WON_AT_SHOWDOWN}, {BB}, if(faced_three_bet, folded_to_three_bet,
        null) as fold_to_three_bet_rate, if(could_c_bet, c_bet, null) as c_bet_rate, if(faced_c_bet,
        folded_to_c_bet, null) as fold_to_c_bet_rate, if(saw_flop, went_to_showdown,
        null) as went_to_showdown_rate
        from {HOLD_EM};
        select dataset, player_name, is_computer, {UNIT}, {AGGRESSION}
        from {HOLD_EM}""",
    "hold_em_positions": f"""select dataset, players_in_hand, position, {UNIT}, {PREFLOP}, {THREE_BET},
        {STEAL}, net > 0 as win_rate, {BB}
        from {HOLD_EM}""",
    "hold_em_starting_hands": f"""select dataset, starting_hand, {UNIT}, {PREFLOP}, net > 0 as win_rate,
        {WON_AT_SHOWDOWN}, {BB}, {ADJUSTED_BB}
        from {HOLD_EM} and starting_hand is not null""",
    "hold_em_bet_sizes": f"""select dataset, structure,
        ['preflop', 'flop', 'turn', 'river'][street + 1] as street, actions.street = 0
        or raises_before > 0 as is_raise, list_max([part for part in [0.0, 0.5, 0.75, 1,
        2] if part <= part_of_pot])::double as least_part, {UNIT}, answer = 'fold' as fold_rate,
        answer = 'call' as call_rate, answer = 'raise' as raise_rate, went_to_showdown as showdown_rate,
        net > 0 as win_rate, part_of_pot as mean_part, {BB}
        from hold_em_players as players join steps.int_hold_em_actions as actions using (hand_id, seat)
        where hand_status = 'complete' and part_of_pot is not null""",
    "hold_em_lines": f"""select dataset, line, {UNIT}, won_at_showdown as won_rate,
        category = 'high card' as high_card_rate, category = 'pair' as pair_rate,
        category = 'two pair' as two_pair_rate, category not in ('high card', 'pair',
        'two pair') as better_rate, {BB}
        from {HOLD_EM} and went_to_showdown""",
    "hold_em_luck": f"""select dataset, player_name, is_computer, {UNIT}, all_in_on is not null
        and went_to_showdown as all_in_rate, {BB}, {ADJUSTED_BB},
        bb_per_100 - adjusted_bb_per_100 as luck_bb_per_100
        from {HOLD_EM}""",
}  # fmt: skip
"""For each mart with a row for each group of rows: a query for them, or two. First the columns by which they
are grouped; then the `unit`, a match or else a hand, as rows of one unit depend on one another; then what the
mart has rates of, if they are true or false, or else means. A figure that comes twice is of the first."""


def pairs(cards: str | None) -> list[str]:
    """The cards of a text."""
    return [(cards or "")[at : at + 2] for at in range(0, len(cards or ""), 2)]


def rank(hand: list[str]) -> int:
    """The rank of poker cards, as of a hand of five: `test_ranks.py` has tested all of them."""
    return int(ranks.rank_of(np.array(cards.codes("".join(hand)), np.uint8), len(hand)))


def category(number: int | None) -> str | None:
    return ranks.category(number) if number else None


def rows_of(marts: Marts, sql: str) -> list[Row]:
    result = marts.execute(sql)
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def events_of(marts: Marts, game: str) -> dict[str, list[Row]]:
    """The events of each hand of a game, with what they are: ``bid pass``."""
    found = defaultdict(list)
    what = "concat(kind, ' ', action) as what"
    for event in rows_of(marts, f"select *, {what} from events where game = '{game}' order by hand_id, seq"):
        found[event["hand_id"]].append(event)
    return found


def hands_of(marts: Marts, games: str = "%") -> dict[str, Row]:
    """The rows of `playedhand`, with what each hand begins with, and its declarer's points and score."""
    opened = "playedhand join (select hand_id, detail as opening from events where seq = 0) using (hand_id)"
    found = {row["hand_id"]: row for row in rows_of(marts, f"from {opened} where game like '{games}'")}
    for row in found.values():
        row["opening"] = json.loads(row["opening"])
        for what in ("points", "score"):
            declarer = row["declarer"]
            row[f"declarer_{what}"] = None if declarer is None else row[f"team_{declarer % 2}_{what}"]
    return found


def played_hands(marts: Marts, game: str) -> Iterator[tuple[str, Row, list[Row]]]:
    """The hands of a game, each with its id, its row and its events."""
    events = events_of(marts, game)
    yield from ((hand_id, hand, events[hand_id]) for hand_id, hand in hands_of(marts, game).items())


def same_rows(marts: Marts, sql: str, expected: Mapping[Any, Row], keys: str = "hand_id") -> list[Row]:
    """The rows that a query finds: those that are expected by their keys, with all columns that are expected
    of each; the last digits of fractions may differ. There are some, or nothing would be compared."""
    rows, key_of = rows_of(marts, sql), itemgetter(*keys.split(", "))
    found = {key_of(row): row for row in rows}
    assert len(found) == len(rows)
    assert found.keys() == expected.keys() != set()
    for key, row in expected.items():
        wanted = {name: _near(value) if type(value) is float else value for name, value in row.items()}
        assert {name: found[key][name] for name in row} == wanted, key
    return rows


def _near(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-9)


def check(row: Row, name: str, expected: Interval) -> None:
    """That a row of a mart has this figure and interval."""
    figure, low, high = (row[name + end] for end in ("", "_low", "_high"))
    assert figure == pytest.approx(expected[0]), (name, row)
    if expected[1] is None or expected[2] is None:
        assert low is high is None, (name, row)
    else:
        width = expected[2] - expected[1]
        assert (low, high) == pytest.approx(expected[1:], rel=1e-9, abs=1e-5 * width + 1e-9), (name, row)


UNBOUNDED = {
    *("bb_per_100", "adjusted_bb_per_100", "luck_bb_per_100", "mean_part"),
    *("mean_net", "mean_raise", "mean_rounds", "mean_turns", "mean_program_rounds", "mean_turns_with_block"),
    *("mean_estimated_place", "mean_estimated_win_rate", "squared_error", "squared_error_of_the_middle"),
}
"""Means of what has no bounds, or none that few rows come near."""


@cache
def cluster(unit: str) -> int:
    """The cluster that a match belongs to, or a hand that no match is known of."""
    [[number]] = duckdb.execute("select hash(?) % 1000", [unit]).fetchall()
    return int(number)


def figure_of(values: Sequence[tuple[str, Any]], bounds: tuple[float, float] | None = None) -> Interval:
    """The rate of what is true or false, or the mean of numbers, each with the unit it is of."""
    if isinstance(values[0][1], bool):
        bounds = (0, 1)
    return intervals.clustered([(cluster(unit), float(value)) for unit, value in values], bounds)


def check_groups(rows: list[Row], found: list[Row], names: set[str]) -> None:
    """That a mart has a row for each group of the rows, with these figures, and counts of what each is over.
    What a mean is bounded by are the least and the most in the same data set, with as many players."""
    keys = [*takewhile(lambda column: column != "unit", rows[0])]
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    by_key = {tuple(row[key] for key in keys): row for row in found}
    assert by_key.keys() == groups.keys()
    assert len(by_key) == len(found)
    for name in names:
        kinds = {column: {type(row[column]) for row in found} for column in found[0].keys() - keys}
        counts = {column for column, types in kinds.items() if types - {type(None)} == {int}}
        bounds = bounds_of(rows, keys, name)
        for key, members in groups.items():
            row, values = by_key[key], [(one["unit"], one[name]) for one in members if one[name] is not None]
            if values:
                check(row, name, figure_of(values, bounds.get(within(members[0], keys, name))))
                counts = {count for count in counts if row[count] == len(values)}
            else:
                assert [row[name + end] for end in ("", "_low", "_high")] == [None] * 3
        assert counts, f"{name} has no count of what it is over"


def within(row: Row, keys: list[str], name: str) -> tuple[Any, ...]:
    alike = ("game", "dataset", "num_players") if name == "mean_place" else ("game", "dataset")
    return tuple(row[key] for key in alike if key in keys)


def bounds_of(rows: list[Row], keys: list[str], name: str) -> dict[tuple[Any, ...], tuple[float, float]]:
    if name in UNBOUNDED:
        return {}
    values = defaultdict(list)
    for row in rows:
        if row[name] is not None:
            values[within(row, keys, name)].append(float(row[name]))
    return {alike: (min(those), max(those)) for alike, those in values.items()}

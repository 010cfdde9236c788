"""Which rows the rates and means of the marts are over, and a comparison with figures from these rows."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

import duckdb
import pytest

from tests.support import intervals
from tests.support.intervals import Interval

Marts = duckdb.DuckDBPyConnection
"""A connection to marts and tables."""


POSITION = "['dealer', 'left', 'partner', 'right'][1 + (declarer - dealer + 4) % 4] as declarer_position"
DECK = "num_suits, cards_per_suit, num_players"
MIX = "num_smart, num_dumb, num_random"
FIRST = "if(team is null, player_kind, least(player_kind, partner_kind))"
SECOND = "if(team is null, null, greatest(player_kind, partner_kind))"
SIDES = """select hand_id, list(coalesce(player_kind, '?')) as kinds,
    coalesce(list_sort(list(coalesce(player_kind, '?')) filter (where team = 0)), []) as kinds_0,
    coalesce(list_sort(list(coalesce(player_kind, '?')) filter (where team = 1)), []) as kinds_1
    from seats group by all"""
BOTS = "status = 'complete' and is_by_the_book and num_human = 0"

ROLE = "['declarer', 'left_defender', 'partner', 'right_defender'][1 + (seat - declarer + 4) % 4]"
WHO = f"""select hand_id, seat, coalesce(hands.match_id, hand_id) as unit, seats.dataset, player_name,
    player_kind, team, {ROLE} as role, contract, trump, team_score - other_score as mean_return
    from seats join hands using (hand_id) where hands.status = 'complete'"""
OF_SEATS = f"""select analysis.hand_id, seat, unit, analysis.game, dataset, player_name, player_kind,
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
    from analysis join ({WHO}) using (hand_id, seat) join pars using (hand_id) group by all"""
COSTS = """cost_open > 0 as costly_rate, cost_open::double as mean_cost_open,
    cost_known::double as mean_cost_known"""
OF_CHOICES = f"""select *, {COSTS} from analysis join ({WHO}) using (hand_id, seat)
    where legal_actions > 1 and trick_no is not null"""
"""The marts that sum up cards are of games of tricks; Ruter Sju has rows in `analysis` alone."""
MOVE = """if(order_in_trick = 0, if(coalesce(suit = trump, false), 'leads trump', 'leads a plain suit'),
    if(followed, 'follows', if(trumped, 'trumps', 'discards')))"""
OF_BIDS = f"""select *, if(exact and game in ('kaiser', 'belote'), mean_par >= 0, null) as made_at_par_rate,
    mean_margin > 0 as underbid_rate from (
        select who.*, pars.game, exact, made as made_rate, if(team = 0, par, -par)::double as mean_par,
        (
            select t - contract from range(-3, 14) as taken(t) where exact and pars.game = 'kaiser'
            and if(trump = 'N', 2, 1) * if(t >= contract, t, -contract) - (10 - t) = if(team = 0, par, -par)
        ) as mean_margin
        from ({WHO}) as who join pars using (hand_id) join (select hand_id, made from hands) using (hand_id)
        where role = 'declarer'
    )"""
"""The points that the declarer's side takes at par are those with which Kaiser's scores come to it."""

BET = """*, coalesce(match_id, hand_id) as unit, raises_before > 0 as is_raised, action = 'fold' as fold_rate,
    action = 'raise' as raise_rate, raised_by as mean_raise,
    if(raises_before > 0, action = 'fold', null) as fold_to_raise_rate"""
HOLD_EM = """select * exclude (unit), coalesce(match_id, hand_id) as unit from hold_em_players
    where hand_status = 'complete'"""
PREFLOP = "if(could_act, vpip, null) as vpip_rate, if(could_act, pfr, null) as pfr_rate"
THREE_BET = "if(could_three_bet, three_bet, null) as three_bet_rate"
STEAL = "if(could_steal, stole, null) as steal_rate"
WON_AT_SHOWDOWN = "if(went_to_showdown, won_at_showdown, null) as won_at_showdown_rate"
BB = "100 * net / nullif(big_blind, 0) as bb_per_100"
ADJUSTED_BB = "100 * adjusted_net / nullif(big_blind, 0) as adjusted_bb_per_100"

SUMMARIES: dict[str, tuple[str, ...]] = {
    "costs_by_trick": ("game, dataset, player_kind, role, trick_no", OF_CHOICES),
    "lead_costs": (
        "game, dataset, leader, is_opening, rank, is_trump",
        f"""select *, role as leader, trick_no = 0 as is_opening, rank,
        coalesce(suit = trump, false) as is_trump, {COSTS}
        from analysis join ({WHO}) using (hand_id, seat) join (
            select hand_id, seat, trick_no, rank, suit from plays where is_led
        ) using (hand_id, seat, trick_no)
        where legal_actions > 1""",
    ),
    "costs_by_contract": ("game, dataset, player_kind, role, contract, trump", OF_SEATS, OF_CHOICES),
    "bids_against_par": ("game, dataset, player_kind, contract, trump", OF_BIDS),
    "common_mistakes": (
        "game, dataset, player_kind, role, trick_no, order_in_trick, move",
        f"""select *, {MOVE} as move, {COSTS}, cost_known > 0 as costly_known_rate
        from analysis join ({WHO}) using (hand_id, seat)
        join (select hand_id, seat, trick_no, order_in_trick, followed, trumped, suit from plays)
        using (hand_id, seat, trick_no) where legal_actions > 1""",
    ),
    "player_costs": ("game, dataset, player_name, player_kind", OF_SEATS, OF_CHOICES),
    "player_months": (
        "game, dataset, player_name, player_kind, month",
        """select coalesce(seats.match_id, seats.hand_id) as unit,
        seats.game, seats.dataset, player_name, player_kind,
        date_trunc('month', added_date)::date as month, won as share_won,
        team_score - other_score as mean_score_difference,
        if(hand_status = 'complete', place, null) as mean_place,
        if(is_declarer, made, null) as made_rate, cost as mean_cost_of_a_hand
        from seats join hands using (hand_id) left join (
            select hand_id, seat, sum(cost_open)::double as cost from analysis join hands using (hand_id)
            join pars using (hand_id) where status = 'complete' group by all
        ) as costs on seats.hand_id = costs.hand_id and seats.seat = costs.seat""",
    ),
    "kaiser_bid_success": (
        "dataset, contract, trump, declarer_position, declarer",
        f"""select coalesce(match_id, hand_id) as unit,
        dataset, contract, trump, {POSITION}, declarer, made as made_rate,
        declarer_points as mean_points, declarer_score as mean_score
        from hands where game = 'kaiser' and status = 'complete'""",
    ),
    "kaiser_dealer_bids": (
        "dataset, won_by, contract",
        """select coalesce(hands.match_id, hand_id) as unit,
        hands.dataset, won_by, hands.contract, made as made_rate,
        hands.declarer_points as mean_points, hands.declarer_score as mean_score
        from hands join steps.int_kaiser_auctions using (hand_id) where hands.status = 'complete'""",
    ),
    "kaiser_human_vs_computer": (
        "dataset, player, partner",
        """select coalesce(match_id, hand_id) as unit,
        dataset, player, partner, bid is not null as bid_rate, bid as mean_bid,
        if(is_declarer, team_score > 0, null) as made_rate,
        if(is_declarer, team_points, null) as mean_points_as_declarer,
        if(is_declarer, team_score, null) as mean_score_as_declarer,
        if(is_bidding, null, team_points) as mean_points_defending, team_points as mean_points,
        team_score as mean_score, tricks as mean_tricks from steps.int_kaiser_seats""",
    ),
    "kaiser_points_per_trick": (
        "dataset, trick_no",
        """select hand_id as unit, dataset, trick_no, points as mean_points,
        points * taken_by_bidders::int as mean_bidder_points, taken_by_bidders as taken_by_bidders_rate,
        kept_lead as kept_lead_rate, ruffed as ruffed_rate, cards like '%5H%' as five_of_hearts_rate,
        cards like '%3S%' as three_of_spades_rate
        from tricks_taken where game = 'kaiser' and hand_status = 'complete'""",
    ),
    "kaiser_special_cards": (
        "dataset, card, taken_by, played_as",
        """select coalesce(match_id, hand_id) as unit,
        dataset, card, taken_by, played_as, trick_no as mean_trick_no,
        declarer_points as mean_bidder_points, made as made_rate from steps.int_kaiser_special_cards""",
    ),
    "belote_bid_success": (
        "dataset, dialect, declarer_position, trump",
        f"""select coalesce(match_id, hand_id) as unit,
        dataset, dialect, {POSITION}, hands.trump, made as made_rate,
        declarer_points as mean_points, hand_value as mean_hand_value, declarer_score as mean_score
        from hands join (select hand_id, dialect, hand_value from belote_recomputed_points) using (hand_id)
        where status = 'complete'""",
    ),
    "belote_declarations_held": (
        "dataset, dialect, kind, cards, points",
        """select coalesce(match_id, hand_id) as unit,
        dataset, dialect, kind, cards, points, counts as counted_rate
        from steps.int_belote_declarations join steps.stg_playedhand using (hand_id)""",
    ),
    "pinochle_bid_success": (
        "dataset, dialect, contract, trump, is_stuck",
        """select coalesce(match_id, hand_id) as unit,
        dataset, dialect, contract, trump, is_stuck, made as made_rate, declarer_meld as mean_meld,
        declarer_points as mean_counters, declarer_score as mean_score, defender_meld as mean_defender_meld,
        defender_score as mean_defender_score from steps.int_pinochle_hands
        where status = 'complete' and not thrown_in""",
    ),
    "pinochle_throw_ins": (
        "dataset, dialect, is_stuck",
        """select coalesce(match_id, hand_id) as unit,
        dataset, dialect, is_stuck, thrown_in as thrown_in_rate,
        if(thrown_in, contract, null) as mean_contract, if(thrown_in, declarer_score, null) as mean_score
        from steps.int_pinochle_hands where status = 'complete'""",
    ),
    "pinochle_refused_plays": (
        "dataset, trick_no",
        "select coalesce(match_id, hand_id) as unit, "
        "dataset, trick_no, refused > 0 as refused_rate from steps.int_pinochle_refusals",
    ),
    "five_card_draw_draws": (
        "dataset, cards_exchanged",
        """select coalesce(match_id, hand_id) as unit,
        dataset, cards_exchanged, rank_after < rank_before as improved_rate, net > 0 as win_rate,
        net as mean_net from five_card_draw_players
        where hand_status = 'complete' and cards_exchanged is not null""",
    ),
    "five_card_draw_positions": (
        "dataset, dialect, players_in_hand, dealing_position",
        """select coalesce(match_id, hand_id) as unit,
        dataset, dialect, players_in_hand, dealing_position, net > 0 as win_rate, net as mean_net
        from five_card_draw_players where hand_status = 'complete'""",
    ),
    "ruter_sju_rounds": (
        f"dataset, {DECK}, {MIX}",
        f"""select coalesce(match_id, hand_id) as unit,
        dataset, {DECK}, {MIX}, true_rounds as mean_rounds, turns as mean_turns,
        rounds as mean_program_rounds, is_frozen as frozen_rate from ruter_sju_games where {BOTS}""",
    ),
    "ruter_sju_bots": (
        f"dataset, {DECK}, {MIX}, kind",
        f"""select coalesce(any_value(match_id), hand_id) as unit,
        dataset, {DECK}, {MIX}, kind, sum(place) / count(*) as mean_place,
        min(place) = 1 as win_rate, max(place) = num_players as last_rate
        from steps.int_ruter_sju_seats join ruter_sju_games using (hand_id)
        where {BOTS} and num_smart + num_dumb + num_random = num_players
        group by hand_id, dataset, {DECK}, {MIX}, kind""",
    ),
    "ruter_sju_winner_cards": (
        f"dataset, {DECK}, card",
        f"""select coalesce(match_id, hand_id) as unit,
        dataset, {DECK}, card, place = 1 as win_rate, place as mean_place,
        place = num_players as last_rate
        from steps.int_ruter_sju_cards join steps.int_ruter_sju_seats using (hand_id, seat)
        join (select hand_id, match_id, dataset, {DECK} from ruter_sju_games where {BOTS}) using (hand_id)""",
    ),
    "kaiser_settings": (
        "dataset, setting, setting_value",
        """select coalesce(match_id, hand_id) as unit, dataset,
        unnest(['min_bid', 'pass_cards', 'no_trump_bid_out', 'game_over_at_minus_52']) as setting,
        unnest([setting_min_bid::text, setting_pass_cards::text, setting_no_trump_bid_out::text,
        setting_game_over_at_minus_52::text]) as setting_value,
        made as made_rate, trump = 'N' as no_trump_rate, hands.contract as mean_contract,
        declarer_points as mean_points, declarer_score as mean_score,
        defender_score as mean_defender_score
        from hands join (select hand_id, columns('setting_.*') from playedhand) using (hand_id)
        where game = 'kaiser' and status = 'complete'""",
    ),
    "seatings": (
        "game, dataset, player_kind, partner_kind, human_opponents, computer_opponents",
        f"""select coalesce(match_id, hand_id) as unit,
        game, dataset, {FIRST} as player_kind, {SECOND} as partner_kind, human_opponents,
        computer_opponents, won as win_rate, team_score - other_score as mean_score_difference,
        place as mean_place, net as mean_net
        from seats join (
            select one.hand_id, one.seat, count_if(other.player_kind = 'human') as human_opponents,
            count_if(other.player_kind = 'computer') as computer_opponents
            from seats as one join seats as other on one.hand_id = other.hand_id and one.seat <> other.seat
            and one.partner_seat is distinct from other.seat group by all
        ) using (hand_id, seat) join ({SIDES}) using (hand_id)
        where hand_status = 'complete' and (team is null or seat = team)
        and if(team is null, length(list_distinct(kinds)) > 1, kinds_0 <> kinds_1)""",
    ),
    "opening_leads": (
        "game, dataset, leader, rank, is_trump",
        """select coalesce(match_id, hand_id) as unit,
        game, dataset, ['declarer', 'left_defender', 'partner', 'right_defender'][
            1 + (leader - declarer + 4) % 4
        ] as leader, cards[1] as rank, coalesce(cards[2] = hands.trump, false) as is_trump,
        leader = winner as taken_rate,
        if(leader in (0, 2), team_0_score > team_1_score, team_1_score > team_0_score) as win_rate
        from hands join (select hand_id, trick_no, leader, winner, cards from tricks) using (hand_id)
        where status = 'complete' and trick_no = 0""",
    ),
    "pinochle_melds_by_player": (
        "dataset, player_name, player_kind",
        """select coalesce(hands.match_id, hand_id) as unit,
        seats.dataset, player_name, player_kind, amount > 0 as meld_rate, amount as mean_points,
        coalesce(length(events.cards), 0) / 2 as mean_cards,
        if(declarer % 2 = seat % 2, amount, null) as mean_points_declaring
        from events join seats using (hand_id, seat) join hands using (hand_id)
        where kind = 'meld' and seats.game = 'pinochle' and hand_status = 'complete'""",
    ),
    "ruter_sju_block_value": (
        f"dataset, {DECK}, times_taken",
        f"""select coalesce(any_value(match_id), hand_id) as unit,
        dataset, {DECK}, count_if(took) as times_taken, any_value(place) = 1 as win_rate,
        any_value(place) = num_players as last_rate, any_value(place) as mean_place,
        count_if(blocked) as mean_turns_with_block
        from (
            select hand_id, seat, visit_no, bool_or(action = 'block' and not is_going_on) as took,
            bool_or(action = 'blocked' or (action = 'block' and not is_going_on)) as blocked
            from ruter_sju_acts group by all
        ) join ruter_sju_games using (hand_id) join steps.int_ruter_sju_seats using (hand_id, seat)
        where {BOTS} group by dataset, {DECK}, hand_id, seat""",
    ),
    "players": (
        "game, dataset, player_name, player_kind",
        """select coalesce(match_id, hand_id) as unit, game, dataset, player_name, player_kind,
        won as share_won, team_score - other_score as mean_score_difference,
        if(hand_status = 'complete', place, null) as mean_place from seats""",
    ),
    "bids_by_strength": (
        "game, dataset, strength, longest_suit",
        """select coalesce(match_id, hand_id) as unit, game, dataset, strength,
        greatest(clubs, diamonds, hearts, spades) as longest_suit, bid <> 'pass' as bid_rate,
        if(is_declarer, team_score > 0, null) as made_rate,
        if(is_declarer, team_score - other_score, null) as mean_lead_declaring,
        if(bid = 'pass', team_score - other_score, null) as mean_lead_passing
        from seats where hand_status = 'complete' and role is not null and strength is not null""",
    ),
    "five_card_draw_betting": (
        "dataset, player_name, is_computer",
        f"""select *, if(bluff_rate, won_unseen, null) as bluff_won_rate from (
            select {BET}, if(
                action = 'raise' and is_after_draw and known_from_deal, category = 'high card', null
            ) as bluff_rate from five_card_draw_bets where hand_status = 'complete'
        )""",
    ),
    "five_card_draw_bets_by_strength": (
        "dataset, is_after_draw, is_raised, category",
        f"""select {BET} from five_card_draw_bets
        where hand_status = 'complete' and known_from_deal and category is not null""",
    ),
    "five_card_draw_starting_hands": (
        "dataset, category, leading_rank",
        """select coalesce(match_id, hand_id) as unit, dataset, category_before as category, leading_rank,
        (hand_id, seat, 'raise') in (select (hand_id, seat, action) from five_card_draw_bets) as raise_rate,
        (hand_id, seat, 'fold') in (select (hand_id, seat, action) from five_card_draw_bets) as fold_rate,
        net > 0 as win_rate, net as mean_net
        from five_card_draw_players join five_card_draw_classes on rank = rank_before
        where hand_status = 'complete' and known_from_deal""",
    ),
    "hold_em_player_stats": (
        "dataset, player_name, is_computer",
        f"""select *, {PREFLOP}, {THREE_BET}, {STEAL}, if(faced_three_bet, folded_to_three_bet, null)
        as fold_to_three_bet_rate, if(could_c_bet, c_bet, null) as c_bet_rate,
        if(faced_c_bet, folded_to_c_bet, null) as fold_to_c_bet_rate,
        if(saw_flop, went_to_showdown, null) as went_to_showdown_rate, {WON_AT_SHOWDOWN}, {BB}
        from ({HOLD_EM})""",
        f"""select unit, dataset, player_name, is_computer, unnest(
            [null] || [true for raise in range(raises_after_flop)]
            || [false for other in range(calls_after_flop + folds_after_flop)]
        ) as aggression_rate from ({HOLD_EM})""",
    ),
    "hold_em_positions": (
        "dataset, players_in_hand, position",
        f"select *, {PREFLOP}, {THREE_BET}, {STEAL}, net > 0 as win_rate, {BB} from ({HOLD_EM})",
    ),
    "hold_em_starting_hands": (
        "dataset, starting_hand",
        f"""select *, {PREFLOP}, net > 0 as win_rate, {WON_AT_SHOWDOWN}, {BB}, {ADJUSTED_BB}
        from ({HOLD_EM}) where starting_hand is not null""",
    ),
    "hold_em_bet_sizes": (
        "dataset, structure, street, is_raise, least_part",
        f"""select players.*, answer = 'fold' as fold_rate, answer = 'call' as call_rate,
        answer = 'raise' as raise_rate, went_to_showdown as showdown_rate, net > 0 as win_rate,
        part_of_pot as mean_part, {BB}, street = 0 or raises_before > 0 as is_raise,
        ['preflop', 'flop', 'turn', 'river'][street + 1] as street,
        list_max([part for part in [0.0, 0.5, 0.75, 1, 2] if part <= part_of_pot])::double as least_part
        from ({HOLD_EM}) as players join steps.int_hold_em_actions using (hand_id, seat)
        where part_of_pot is not null""",
    ),
    "hold_em_lines": (
        "dataset, line",
        f"""select *, won_at_showdown as won_rate, category = 'high card' as high_card_rate,
        category = 'pair' as pair_rate, category = 'two pair' as two_pair_rate,
        category not in ('high card', 'pair', 'two pair') as better_rate, {BB}
        from ({HOLD_EM}) where went_to_showdown""",
    ),
    "hold_em_luck": (
        "dataset, player_name, is_computer",
        f"""select *, all_in_on is not null and went_to_showdown as all_in_rate, {BB}, {ADJUSTED_BB},
        bb_per_100 - adjusted_bb_per_100 as luck_bb_per_100 from ({HOLD_EM})""",
    ),
}  # fmt: skip
"""For each mart with a row for each group of rows: the columns by which they are grouped, and queries for
them. Rows of the same `unit`, a match or else a hand, depend on one another. The other columns are what the
mart has rates of, if they are true or false, or else means, unless an earlier query has them."""


def pairs(cards: str | None) -> list[str]:
    """The cards of a text."""
    return [(cards or "")[at : at + 2] for at in range(0, len(cards or ""), 2)]


def rows_of(marts: Marts, sql: str) -> list[dict[str, Any]]:
    result = marts.execute(sql)
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def names_of(text: str) -> list[str]:
    return text.split(", ")


def check(row: dict[str, Any], name: str, expected: Interval) -> None:
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


def check_groups(
    rows: list[dict[str, Any]], found: list[dict[str, Any]], keys: list[str], names: set[str]
) -> None:
    """That a mart has a row for each group of the rows, with these figures, and counts of what each is over.
    What a mean is bounded by are the least and the most in the same data set, with as many players."""
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


def within(row: dict[str, Any], keys: list[str], name: str) -> tuple[Any, ...]:
    alike = ("game", "dataset", "num_players") if name == "mean_place" else ("game", "dataset")
    return tuple(row[key] for key in alike if key in keys)


def bounds_of(
    rows: list[dict[str, Any]], keys: list[str], name: str
) -> dict[tuple[Any, ...], tuple[float, float]]:
    if name in UNBOUNDED:
        return {}
    values = defaultdict(list)
    for row in rows:
        if row[name] is not None:
            values[within(row, keys, name)].append(float(row[name]))
    return {alike: (min(those), max(those)) for alike, those in values.items()}

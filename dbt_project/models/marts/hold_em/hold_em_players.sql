{{ config(materialized='incremental') }}
{% set acted = "action in ('fold', 'check', 'call', 'raise')" %}

with actions as (
    select
        *,
        {{ acted }} as acted,
        action = 'raise' as is_raise,
        street = 0 and raises_before = 1 and raised_by <> seat and action <> 'check' as is_after_raise,
        street = 0 and raises_before = 2 and has_raised as is_after_three_bet,
        street = 0 and raises_before = 0 and calls_before = 0 as is_unopened,
        street = 1 and raises_before = 0 and preflop_raiser = seat as is_first_on_flop,
        street = 1 and raises_before = 1 and raised_by = preflop_raiser
        and raised_by <> seat as is_after_c_bet,
        max(street) filter (where action in ('blind', 'check', 'call', 'raise')) over (
            partition by hand_id
        ) as last_street
    from {{ new_rows(ref('int_hold_em_actions')) }}
),

doings as (
    select
        hand_id as done_in,
        seat as done_by,
        max(chips) filter (where action = 'blind') as blind,
        max(last_street) as last_street,
        bool_or(acted and street = 0) as could_act,
        bool_or(street = 0 and action in ('call', 'raise')) as vpip,
        bool_or(street = 0 and is_raise) as pfr,
        {% for chance, did, when in [
            ('could_three_bet', 'three_bet', 'is_after_raise'),
            ('could_open', 'opened', 'is_unopened'),
            ('could_c_bet', 'c_bet', 'is_first_on_flop')
        ] %}
        coalesce(bool_or({{ when }} and acted), false) as {{ chance }},
        coalesce(bool_or({{ when }} and is_raise), false) as {{ did }},
        {% endfor %}
        {% for faced, folded, when in [
            ('faced_three_bet', 'folded_to_three_bet', 'is_after_three_bet'),
            ('faced_c_bet', 'folded_to_c_bet', 'is_after_c_bet')
        ] %}
        coalesce(bool_or({{ when }} and acted), false) as {{ faced }},
        coalesce(bool_or({{ when }} and action = 'fold'), false) as {{ folded }},
        {% endfor %}
        count(*) filter (where is_raise)::integer as raises,
        count(*) filter (where action = 'call')::integer as calls,
        {% for action in ['raise', 'call', 'fold'] %}
        count(*) filter (where street > 0 and action = '{{ action }}')::integer as {{ action }}s_after_flop,
        {% endfor %}
        max(street) filter (where action = 'fold') as folded_on,
        concat(
            {% for street in range(4) %}
            case
                when bool_or(street = {{ street }} and action = 'fold') then 'F'
                when bool_or(street = {{ street }} and is_raise) then '{{ 'B' if street else 'R' }}'
                when bool_or(street = {{ street }} and action = 'call') then 'C'
                when bool_or(street = {{ street }} and action = 'check') then 'X'
                else '-'
            end{{ ',' if not loop.last }}
            {% endfor %}
        ) as line
    from actions
    group by all
),

streets as (
    select
        hand_id,
        street,
        seat,
        sum(chips) as chips,
        max(put_in) as bet
    from actions
    group by all
),

-- What a player has bet on a street and nobody has called goes back.
called as (
    select
        hand_id,
        seat,
        chips,
        case
            when row_number() over highest_first = 1
                then bet - coalesce(lead(bet) over highest_first, 0)
            else 0
        end as uncalled
    from streets
    window highest_first as (partition by hand_id, street order by bet desc)
),

put_in as (
    select
        hand_id,
        seat,
        sum(chips - uncalled)::integer as chips
    from called
    group by hand_id, seat
),

dealt as (
    select
        hand_id,
        seat,
        max(cards) filter (where kind = 'deal' and not contains(cards, '?')) as hole_cards,
        coalesce(bool_or(kind = 'score' and action = 'show' and not contains(cards, '?')), false) as shown
    from {{ new_rows(ref('stg_events')) }}
    where game = 'hold_em' and seat is not null and (action = 'show' or (kind = 'deal' and action = 'hand'))
    group by all
),

hands as (
    select
        hand_id,
        (detail ->> '$.dealer')::tinyint as dealer,
        detail ->> '$.settings.structure' as structure,
        detail ->> '$.settings.currency' as currency,
        (detail ->> '$.settings.unit')::integer as unit,
        (detail ->> '$.settings.small_bet')::integer as big_blind,
        occurred_at as added_date
    from {{ new_rows(ref('stg_events')) }}
    where game = 'hold_em' and seq = 0
),

flops as (
    select distinct hand_id
    from {{ new_rows(ref('stg_events')) }}
    where game = 'hold_em' and action = 'board'
),

players as (
    select
        seats.hand_id,
        seats.match_id,
        seats.dataset,
        seats.hand_status,
        seats.dialect,
        seats.seat,
        seats.player_name,
        seats.player_kind = 'computer' as is_computer,
        seats.is_dealer,
        seats.score_before as chips_before,
        seats.net,
        seats.expected_net,
        seats.poker_category,
        seats.ingest_no,
        hands.structure,
        hands.currency,
        hands.unit,
        hands.big_blind,
        hands.added_date,
        row_number() over (
            partition by seats.hand_id order by (seats.seat - hands.dealer + 9) % 10
        ) - 1 as dealing_position,
        count(*) over (partition by seats.hand_id) as players_in_hand
    from {{ new_rows(ref('stg_seats')) }} as seats
    inner join hands on seats.hand_id = hands.hand_id
    where seats.game = 'hold_em'
),

did as (
    select
        players.*,
        doings.*
    from players
    left join doings on players.hand_id = doings.done_in and players.seat = doings.done_by
),

-- If the small blind is missing, the first player after the button has the big one.
placed as (
    select
        *,
        dealing_position + coalesce(
            max(blind) filter (where dealing_position = 0) over hand >= big_blind
            and max(blind) filter (where dealing_position = 1) over hand is null,
            false
        )::integer as place,
        count(*) filter (where folded_on is null) over hand as stayers,
        max(last_street) over hand as last_bet_on
    from did
    window hand as (partition by hand_id)
)

select
    placed.hand_id,
    placed.match_id,
    placed.dataset,
    placed.hand_status,
    placed.added_date,
    placed.dialect,
    placed.structure,
    placed.currency,
    placed.unit,
    placed.big_blind,
    placed.seat,
    placed.player_name,
    placed.is_computer,
    placed.is_dealer,
    placed.dealing_position::tinyint as dealing_position,
    placed.players_in_hand::tinyint as players_in_hand,
    case
        when placed.players_in_hand = 2 then ['big blind', 'button'][placed.dealing_position + 1]
        when placed.place < 2 then ['small blind', 'big blind'][placed.place + 1]
        else coalesce(
            ['button', 'cutoff', 'hijack', 'lojack'][placed.players_in_hand - placed.dealing_position],
            'early'
        )
    end as position,
    dealt.hole_cards,
    {{ starting_hand('dealt.hole_cards') }} as starting_hand,
    {% for column in ['could_act', 'vpip', 'pfr', 'could_three_bet', 'three_bet', 'faced_three_bet',
        'folded_to_three_bet'] %}
    coalesce(placed.{{ column }}, false) as {{ column }},
    {% endfor %}
    {% for column, did in [('could_steal', 'could_open'), ('stole', 'opened')] %}
    coalesce(placed.{{ did }}, false) and position in ('cutoff', 'button', 'small blind') as {{ column }},
    {% endfor %}
    {% for column in ['could_c_bet', 'c_bet', 'faced_c_bet', 'folded_to_c_bet'] %}
    coalesce(placed.{{ column }}, false) as {{ column }},
    {% endfor %}
    {% for column in ['raises', 'calls', 'raises_after_flop', 'calls_after_flop', 'folds_after_flop'] %}
    coalesce(placed.{{ column }}, 0) as {{ column }},
    {% endfor %}
    placed.folded_on,
    coalesce(placed.line, '----') as line,
    flops.hand_id is not null and coalesce(placed.folded_on > 0, true) as saw_flop,
    placed.hand_status = 'complete' and placed.folded_on is null and placed.stayers > 1 as went_to_showdown,
    went_to_showdown and coalesce(placed.net + put_in.chips > 0, false) as won_at_showdown,
    placed.poker_category as category,
    coalesce(dealt.shown, false) as shown,
    case
        when placed.hand_status = 'complete' and placed.stayers > 1 and placed.last_bet_on < 3
            then placed.last_bet_on
    end as all_in_on,
    placed.chips_before,
    coalesce(put_in.chips, 0) as chips_put_in,
    placed.net,
    placed.chips_before + placed.net as chips_after,
    placed.expected_net,
    coalesce(placed.expected_net, placed.net) as adjusted_net,
    placed.ingest_no
from placed
left join put_in on placed.hand_id = put_in.hand_id and placed.seat = put_in.seat
left join dealt on placed.hand_id = dealt.hand_id and placed.seat = dealt.seat
left join flops on placed.hand_id = flops.hand_id

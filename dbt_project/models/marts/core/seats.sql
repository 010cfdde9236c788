{{ config(materialized='incremental') }}

with

players as (
    select * from {{ of_new_hands(ref('int_seats')) }}
),

hands as (
    select
        *,
        {{ by_seat('hand', 6) }} as dealt,
        {{ by_seat('bid', 6) }} as bids
    from {{ ref('stg_playedhand') }}
),

team_games as (
    select game from {{ ref('match_rules') }}
),

trick_games as (
    select game from {{ ref('hand_rules') }}
),

card_points as (
    select * from {{ ref('int_card_points') }}
),

poker as (
    select * from {{ of_new_hands(ref('five_card_draw_players')) }}
),

seated as (
    select
        players.*,
        hands.dataset,
        hands.bids[players.seat + 1] as bid,
        players.seat = hands.dealer as is_dealer,
        players.seat = hands.declarer as is_declarer,
        trick_games.game is not null as has_tricks,
        case when team_games.game is not null then players.seat % 2 end::tinyint as team,
        case when team_games.game is not null then (players.seat + 2) % 4 end::tinyint as partner_seat,
        case players.seat % 2 when 0 then hands.team_0_points else hands.team_1_points end as team_points,
        poker.category_before as poker_category,
        card_points.points_of,
        nullif(trim(coalesce(poker.hand_before, hands.dealt[players.seat + 1]), '?'), '') as shown,
        coalesce(poker.hand_before, hands.dealt[players.seat + 1]) as dealt
    from players
    inner join hands on players.hand_id = hands.hand_id
    left join team_games on players.game = team_games.game
    left join trick_games on players.game = trick_games.game
    left join poker on players.hand_id = poker.hand_id and players.seat = poker.seat
    left join card_points
        on
            players.game = card_points.game
            and coalesce(hands.trump = card_points.trump, card_points.trump is null)
),

-- What is counted is null unless the whole hand is kn
counted as (
    select
        *,
        case when shown is not null then dealt end as cards,
        case when not contains(dealt, '?') then cards end as known_cards,
        regexp_extract_all(cards, '..') as card_list,
        {% for name in ['aces', 'clubs', 'diamonds', 'hearts', 'spades'] %}
        length(known_cards)::tinyint
        - length(replace(known_cards, '{{ name[0] | upper }}', ''))::tinyint as {{ name }},
        {% endfor %}
        list_sum(list_transform(
            case when known_cards is not null then card_list end, lambda card: points_of[card]
        ))::integer as card_points
    from seated
),

final as (
    select
        game,
        hand_id,
        match_id,
        hand_no,
        status as hand_status,
        dataset,
        seat,
        player_name,
        player_kind,
        team,
        partner_seat,
        case when partner_seat is not null then opposite_name end as partner_name,
        case when partner_seat is not null then opposite_kind end as partner_kind,
        is_dealer,
        is_declarer,
        bid,
        cards,
        card_list,
        clubs,
        diamonds,
        hearts,
        spades,
        case
            when has_tricks
                then
                    (clubs = 0)::tinyint + (diamonds = 0)::tinyint
                    + (hearts = 0)::tinyint + (spades = 0)::tinyint
        end as voids,
        aces,
        card_points,
        poker_category,
        team_points,
        team_score,
        other_score,
        place,
        net,
        is_won as won
    from counted
)

select * from final

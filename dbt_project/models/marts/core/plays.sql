-- The rows of a hand stay together, as the lists that they are made from, so that they compress well and are
-- found fast; windows over all plays would take twice as long and scatter them.
{{ config(materialized='incremental') }}

with

-- The plays of a hand in order, each 10 * seq + seat.
turns as (
    select
        hand_id,
        list(10 * seq::integer + seat order by 10 * seq::integer + seat) as turns
    from {{ ref('stg_events') }}
    where kind = 'play' and action = 'card'
    group by hand_id
),

tricks as (
    select * from {{ ref('stg_tricks') }}
),

trick_games as (
    select game from {{ ref('hand_rules') }}
),

seats as (
    select
        game,
        hand_id,
        dataset,
        hand_status,
        seat,
        player_name,
        player_kind,
        case when clubs is not null then array_to_string(card_list, ' ') || ' ' end as cards_known
    from {{ of_new_hands(ref('seats')) }}
),

-- Where not even the first trick is whole, all cards belong to it.
hands as (
    select
        playedhand.hand_id,
        playedhand.trump,
        playedhand.played_cards,
        turns.turns,
        range(length(turns.turns)) as indices,
        case
            when tricks.cards is not null then length(tricks.cards) // 2
            when trick_games.game is not null then length(turns.turns)
        end as cards_in_trick
    from {{ ref('stg_playedhand') }} as playedhand
    inner join turns on playedhand.hand_id = turns.hand_id
    left join trick_games on playedhand.game = trick_games.game
    left join tricks on playedhand.hand_id = tricks.hand_id and tricks.trick_no = 0
),

-- Who played which suit, as pairs of letters, a for seat 0.
with_suits as (
    select
        *,
        array_to_string(list_transform(
            indices,
            lambda index: 'abcdef'[turns[index + 1] % 10 + 1] || played_cards[2 * index + 2]
        ), '') as suits_played
    from hands
),

unnested as (
    select
        * exclude (turns, indices),
        unnest(turns) as turn,
        unnest(indices) as play_no
    from with_suits
),

plays as (
    select
        *,
        turn // 10 as seq,
        turn % 10 as seat,
        substr(played_cards, 2 * play_no + 1, 2) as card,
        card[1] as rank,
        card[2] as suit,
        play_no // cards_in_trick as trick_no,
        play_no % cards_in_trick as order_in_trick,
        played_cards[2 * (play_no - order_in_trick) + 2] as suit_led,
        substr(suits_played, 1, 2 * play_no + 2) as suits_so_far,
        (
            length(suits_so_far) - length(replace(suits_so_far, 'abcdef'[seat + 1] || suit, ''))
        ) // 2 as played_of_suit
    from unnested
),

final as (
    select
        seats.game,
        plays.hand_id,
        seats.dataset,
        seats.hand_status,
        plays.trick_no::tinyint as trick_no,
        plays.order_in_trick::tinyint as order_in_trick,
        plays.seq::smallint as seq,
        seats.seat,
        seats.player_name,
        seats.player_kind,
        plays.card,
        plays.rank,
        plays.suit,
        plays.order_in_trick = 0 as is_led,
        case when plays.order_in_trick > 0 then plays.suit = plays.suit_led end as followed,
        case
            when plays.order_in_trick > 0
                then plays.suit <> plays.suit_led and coalesce(plays.suit = plays.trump, false)
        end as trumped,
        plays.seat = tricks.winner as won,
        case plays.seat when tricks.winner then tricks.points else 0 * tricks.points end as points,
        (
            (length(seats.cards_known) - length(replace(seats.cards_known, plays.suit || ' ', ''))) // 2
            - plays.played_of_suit
        )::tinyint as cards_left_in_suit
    from plays
    inner join seats on plays.hand_id = seats.hand_id and plays.seat = seats.seat
    left join tricks on plays.hand_id = tricks.hand_id and plays.trick_no = tricks.trick_no
)

select * from final

{{ config(materialized='incremental') }}

with

tricks as (
    select * from {{ ref('stg_tricks') }}
),

hands as (
    select * from {{ of_new_hands(ref('hands')) }}
),

winning_cards as (
    select
        *,
        length(cards) // 2 as seats,
        cards[2] as suit_led,
        substr(cards, 1 + 2 * ((winner - leader + seats) % seats), 2) as winning_card
    from tricks
),

final as (
    select
        tricks.game,
        tricks.hand_id,
        hands.dataset,
        hands.status as hand_status,
        tricks.trick_no,
        tricks.leader,
        tricks.cards,
        tricks.suit_led,
        tricks.winner,
        tricks.winner_team,
        tricks.winning_card,
        tricks.points,
        tricks.winner = tricks.leader as kept_lead,
        coalesce(
            tricks.suit_led <> hands.trump and suffix(tricks.winning_card, hands.trump), false
        ) as ruffed,
        tricks.winner_team = hands.declarer_team as taken_by_bidders
    from winning_cards as tricks
    left join hands on tricks.hand_id = hands.hand_id
)

select * from final

-- The hands that were analysed and whose cards in the analysis are not those that were played.
with analysed as (
    select
        game,
        hand_id,
        list_sort(list(card) filter (where card is not null)) as cards
    from {{ ref('stg_analysis') }}
    group by all
),

plays as (
    select
        hand_id,
        list_sort(list(card)) as cards
    from {{ ref('stg_plays') }}
    group by hand_id
)

select
    analysed.game,
    analysed.hand_id,
    analysed.cards as analysed_cards,
    plays.cards as played_cards
from analysed
inner join plays on analysed.hand_id = plays.hand_id
where analysed.cards <> plays.cards

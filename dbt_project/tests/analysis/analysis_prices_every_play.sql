-- The hands that were analysed and of which a play was not, or not as it was decided.
with analysed as (
    select
        game,
        hand_id,
        count(*) as prices
    from {{ ref('stg_analysis') }}
    group by all
),

plays as (
    select
        hand_id,
        count(*) as plays
    from {{ ref('stg_plays') }}
    group by hand_id
)

select
    analysed.game,
    analysed.hand_id,
    analysed.prices,
    plays.plays
from analysed
inner join plays on analysed.hand_id = plays.hand_id
where analysed.prices <> plays.plays

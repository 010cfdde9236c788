with

hands as (
    select hand_id
    from {{ ref('stg_playedhand') }}
    where game = 'belote' and status = 'complete'
),

melds as (
    select
        hand_id,
        action,
        seat % 2 as team,
        amount
    from {{ ref('stg_events') }}
    where game = 'belote' and kind = 'meld'
),

final as (
    select
        {% for team in range(2) %}
        coalesce(
            sum(melds.amount) filter (where melds.action = 'declare' and melds.team = {{ team }}), 0
        )::integer as team_{{ team }}_declared,
        coalesce(
            sum(melds.amount) filter (where melds.action = 'bela' and melds.team = {{ team }}), 0
        )::integer as team_{{ team }}_bela,
        {% endfor %}
        hands.hand_id
    from hands
    left join melds on hands.hand_id = melds.hand_id
    group by all
)

select * from final

with

plays as (
    select * from {{ ref('int_pinochle_refusals') }}
),

final as (
    select
        trick_no,
        count(*) as plays,
        count(*) filter (where refused > 0) as plays_after_refusal,
        sum(refused)::bigint as cards_refused,
        avg((refused > 0)::integer) as refused_rate
    from plays
    group by all
)

select * from final

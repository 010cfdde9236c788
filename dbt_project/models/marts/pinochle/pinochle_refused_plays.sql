with

refusals as (
    select * from {{ ref('int_pinochle_refusals') }}
),

final as (
    select
        dataset,
        trick_no,
        count(*) as plays,
        count(*) filter (where refused > 0) as plays_after_refusal,
        sum(refused)::bigint as cards_refused,
        {{ rate('refused_rate', 'plays_after_refusal', 'plays') }}
    from refusals
    group by all
)

select * from final

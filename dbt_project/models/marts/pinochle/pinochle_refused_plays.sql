with

plays as (
    select
        hand_id,
        seq,
        seat,
        detail,
        (row_number() over (partition by hand_id order by seq) - 1) // 4 as trick_no
    from {{ ref('stg_events') }}
    where game = 'pinochle' and kind = 'play'
),

client_plays as (
    select
        trick_no,
        coalesce(json_array_length(detail, '$.refused'), 0) as refused
    from plays
    where seat = 0
),

final as (
    select
        trick_no::tinyint as trick_no,
        count(*) as plays,
        count(*) filter (where refused > 0) as plays_after_refusal,
        sum(refused)::bigint as cards_refused,
        avg((refused > 0)::integer) as refused_rate
    from client_plays
    group by all
)

select * from final

-- Cards of the client at seat 0 that the server refused before it took one.
{{ config(materialized='incremental') }}

with

plays as (
    select
        hand_id,
        dataset,
        seat,
        detail,
        (row_number() over (partition by hand_id order by seq) - 1) // 4 as trick_no
    from {{ ref('stg_events') }}
    where game = 'pinochle' and kind = 'play'
),

final as (
    select
        hand_id,
        dataset,
        trick_no::tinyint as trick_no,
        coalesce(json_array_length(detail, '$.refused'), 0)::integer as refused
    from plays
    where seat = 0
)

select * from final

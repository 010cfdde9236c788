with

ingests as (
    select * from {{ ref('stg_ingests') }}
),

final as (
    select * exclude (attempt)
    from ingests
)

select * from final

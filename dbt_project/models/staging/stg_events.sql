with

source as (
    select * from {{ source('store', 'events') }}
),

renamed as (
    select
        game,
        hand_id,
        match_id,
        hand_no,
        seq,
        kind,
        action,
        seat,
        cards,
        suit,
        amount,
        detail,
        occurred_at,
        source_id,
        source_line,
        schema_version,
        dataset,
        source_key,
        ingest_no
    from source
)

select * from renamed

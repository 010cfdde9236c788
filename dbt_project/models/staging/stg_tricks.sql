with

source as (
    select * from {{ source('store', 'tricks') }}
),

renamed as (
    select
        game,
        hand_id,
        trick_no,
        leader,
        cards,
        winner,
        winner_team,
        points
    from source
)

select * from renamed

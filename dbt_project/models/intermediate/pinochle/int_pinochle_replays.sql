-- The play by cards and bids alone; the declarer leads the first trick.
with played as (
    select
        hand_id,
        played_cards
    from {{ ref('stg_playedhand') }}
    where game = 'pinochle' and length(played_cards) = 96
),

{{ ranks_of(ref('pinochle_cards')) }},

hands as (
    select
        auctions.hand_id,
        auctions.declarer,
        auctions.trump,
        auctions.ingest_no,
        played.played_cards,
        ranks.low_to_high
    from played
    inner join {{ ref('int_pinochle_auctions') }} as auctions on played.hand_id = auctions.hand_id
    cross join ranks
),

{{ replayed(12, 'declarer', 'low_to_high', 'low_to_high') }},

final as (
    select
        hand_id,
        played_cards,
        {{ trick_winners(12) }} as trick_winners,
        ingest_no
    from winners
)

select * from final

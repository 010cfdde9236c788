-- The play by cards and bids alone; the declarer leads the first trick.
with

auctions as (
    select * from {{ ref('int_kaiser_auctions') }}
),

played as (
    select
        hand_id,
        played_cards
    from {{ ref('stg_playedhand') }}
    where game = 'kaiser' and length(played_cards) = 64
),

{{ ranks_of(ref('kaiser_cards')) }},

hands as (
    select
        auctions.hand_id,
        auctions.declarer,
        auctions.contract,
        auctions.no_trump,
        auctions.trump,
        played.played_cards,
        ranks.low_to_high
    from played
    inner join auctions on played.hand_id = auctions.hand_id
    cross join ranks
),

{{ replayed(8, 'declarer', 'low_to_high', 'low_to_high') }},

final as (
    select
        hand_id,
        declarer,
        contract,
        no_trump,
        trump,
        played_cards,
        {{ trick_winners(8) }} as trick_winners
    from winners
)

select * from final

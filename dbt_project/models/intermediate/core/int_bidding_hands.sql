{{ config(materialized='incremental') }}
{% set high_cards = {'kaiser': 'AKQJ', 'pinochle': 'ATKQ'} %}

with

hands as (
    select
        hand_id,
        declarer,
        made
    from {{ of_new_hands(ref('hands')) }}
    where status = 'complete' and declarer is not null
),

seats as (
    select * from {{ of_new_hands(ref('seats')) }}
    where clubs is not null
),

card_points as (
    select * from {{ ref('int_card_points') }}
    where game = 'belote'
),

-- What a belote hand is worth with each trump.
belote as (
    select
        seats.hand_id,
        seats.seat,
        seats.card_list,
        card_points.points_of
    from seats
    inner join card_points on seats.game = card_points.game
    where card_points.trump in ('C', 'D', 'H', 'S')
),

best as (
    select
        hand_id,
        seat,
        max(list_sum(list_transform(card_list, lambda card: points_of[card]))) as card_points
    from belote
    group by hand_id, seat
),

measured as (
    select
        seats.*,
        hands.made,
        case seats.game
            {% for game, ranks in high_cards.items() %}
            when '{{ game }}' then {{ high_card_points("seats.cards", ranks) }} // 2 * 2
            {% endfor %}
            when 'belote' then best.card_points // 10 * 10
        end as strength
    from seats
    inner join hands on seats.hand_id = hands.hand_id
    left join best on seats.hand_id = best.hand_id and seats.seat = best.seat
),

final as (
    select
        game,
        hand_id,
        dataset,
        seat,
        strength::smallint as strength,
        greatest(clubs, diamonds, hearts, spades) as longest_suit,
        bid <> 'pass' as has_bid,
        is_declarer,
        case when is_declarer then made end as made,
        team_score - other_score as lead
    from measured
    where strength is not null
)

select * from final

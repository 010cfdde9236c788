-- Points by bids and cards alone; a test compares them with the fold's.
{{ config(materialized='incremental') }}

with

replays as (
    select * from {{ ref('int_kaiser_replays') }}
),

rules as (
    select
        trick_points,
        no_trump_factor
    from {{ ref('hand_rules') }}
    where game = 'kaiser'
),

card_points as (
    select
        max(points) filter (where card = '5H') as five_of_hearts,
        max(points) filter (where card = '3S') as three_of_spades
    from {{ ref('kaiser_cards') }}
),

tricks_counted as (
    select
        *,
        length(translate(trick_winners, '13', '')) as team_0_tricks,
        length(translate(trick_winners, '02', '')) as team_1_tricks,
        trick_winners[(instr(played_cards, '5H') + 7) // 8]::integer % 2 as five_of_hearts_team,
        trick_winners[(instr(played_cards, '3S') + 7) // 8]::integer % 2 as three_of_spades_team
    from replays
),

points_taken as (
    select
        {% for team in range(2) %}
        tricks_counted.team_{{ team }}_tricks * rules.trick_points
        + case tricks_counted.five_of_hearts_team when {{ team }} then card_points.five_of_hearts else 0 end
        + case tricks_counted.three_of_spades_team when {{ team }} then card_points.three_of_spades else 0 end
            as team_{{ team }}_points,
        {% endfor %}
        case tricks_counted.declarer % 2 when 0 then team_0_points else team_1_points end as bidder_points,
        tricks_counted.*,
        rules.no_trump_factor
    from tricks_counted
    cross join card_points
    cross join rules
),

-- The bidders score their points if they reach the bid, else they lose the bid; more without trump.
scored as (
    select
        *,
        bidder_points >= contract as made,
        case when made then bidder_points else -contract end
        * case when no_trump then no_trump_factor else 1 end as bidder_score
    from points_taken
),

final as (
    select
        hand_id,
        declarer,
        contract,
        trump,
        trick_winners,
        team_0_points::integer as team_0_points,
        team_1_points::integer as team_1_points,
        made,
        case declarer % 2 when 0 then bidder_score else team_0_points end::integer as team_0_score,
        case declarer % 2 when 1 then bidder_score else team_1_points end::integer as team_1_score
    from scored
)

select * from final

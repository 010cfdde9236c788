-- Points by bids and cards alone; a test compares them with the fold's. The declarer leads the first trick.
with auctions as (
    select * from {{ ref('int_kaiser_auctions') }}
    where length(played_cards) = 64
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

{{ ranks_of(ref('kaiser_cards')) }},

hands as (
    select
        auctions.*,
        ranks.*,
        rules.*,
        card_points.*
    from auctions
    cross join ranks
    cross join rules
    cross join card_points
),

{{ replayed(8, 'declarer', 'low_to_high', 'low_to_high') }},

tricks_counted as (
    select
        *,
        {{ trick_winners(8) }} as trick_winners,
        length(translate(trick_winners, '13', '')) as team_0_tricks,
        length(translate(trick_winners, '02', '')) as team_1_tricks,
        trick_winners[(instr(played_cards, '5H') + 7) // 8]::integer % 2 as five_of_hearts_team,
        trick_winners[(instr(played_cards, '3S') + 7) // 8]::integer % 2 as three_of_spades_team
    from winners
),

points_taken as (
    select
        *,
        {% for team in range(2) %}
        (
            team_{{ team }}_tricks * trick_points
            + case five_of_hearts_team when {{ team }} then five_of_hearts else 0 end
            + case three_of_spades_team when {{ team }} then three_of_spades else 0 end
        )::integer as team_{{ team }}_points,
        {% endfor %}
        case declarer % 2 when 0 then team_0_points else team_1_points end as bidder_points
    from tricks_counted
),

-- The bidders score their points if they reach the bid, else they lose the bid; more without trump.
scored as (
    select
        *,
        bidder_points >= contract as made,
        case when made then bidder_points else -contract end
        * case when no_trump then no_trump_factor else 1 end as bidder_score,
        case declarer % 2 when 0 then bidder_score else team_0_points end::integer as team_0_score,
        case declarer % 2 when 1 then bidder_score else team_1_points end::integer as team_1_score
    from points_taken
)

select {{ contracted_columns() }}
from scored

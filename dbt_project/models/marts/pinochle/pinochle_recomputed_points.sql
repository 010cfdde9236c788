-- Points by bids and cards alone; a test compares them with the fold's.
{{ config(materialized='incremental') }}

with auctions as (
    select * from {{ new_rows(ref('int_pinochle_auctions')) }}
),

counting_ranks as (
    select string_agg(distinct rank, '') as ranks
    from {{ ref('pinochle_cards') }}
    where counters = 1
),

rules as (
    select last_trick_points
    from {{ ref('hand_rules') }}
    where game = 'pinochle'
),

melds as (
    select
        hand_id,
        coalesce(sum(points) filter (where seat % 2 = 0), 0) as team_0_meld,
        coalesce(sum(points) filter (where seat % 2 = 1), 0) as team_1_meld
    from {{ new_rows(ref('int_pinochle_melds')) }}
    group by hand_id
),

-- A trick has a counter for each ace, ten and king; the last one has extra points.
trick_counters as (
    select
        {% for trick in range(12) %}
        8 - length(translate(substr(replays.played_cards, {{ 8 * trick + 1 }}, 8), counting_ranks.ranks, ''))
        {{ '+ rules.last_trick_points' if trick == 11 }} as counters_{{ trick }},
        replays.trick_winners[{{ trick + 1 }}]::integer % 2 as team_{{ trick }},
        {% endfor %}
        replays.hand_id,
        replays.trick_winners
    from {{ new_rows(ref('int_pinochle_replays')) }} as replays
    cross join counting_ranks
    cross join rules
),

taken as (
    select
        hand_id,
        trick_winners,
        {% for team in range(2) %}
        (
            {% for trick in range(12) %}
            {{ '+ ' if trick }}case team_{{ trick }} when {{ team }} then counters_{{ trick }} else 0 end
            {% endfor %}
        )::integer as team_{{ team }}_points,
        {% endfor %}
        length(translate(trick_winners, '13', '')) as team_0_tricks,
        length(translate(trick_winners, '02', '')) as team_1_tricks
    from trick_counters
),

-- A hand that is thrown in for good has no counters and costs the bid.
scored as (
    select
        auctions.hand_id,
        auctions.declarer,
        auctions.contract,
        case when auctions.is_played then auctions.trump end as trump,
        coalesce(taken.trick_winners, '') as trick_winners,
        taken.team_0_points,
        taken.team_1_points,
        {% for team in range(2) %}
        case
            when
                taken.team_{{ team }}_tricks = 0
                and case auctions.declarer % 2
                    when {{ team }} then auctions.bidders_need_a_trick else auctions.opponents_need_a_trick
                end
                then 0
            else coalesce(melds.team_{{ team }}_meld, 0)
        end
        + taken.team_{{ team }}_points as team_{{ team }}_total,
        case
            when
                auctions.declarer % 2 = {{ team }}
                and coalesce(team_{{ team }}_total < auctions.contract, true)
                then -auctions.contract
            else coalesce(team_{{ team }}_total, 0)
        end::integer as team_{{ team }}_score,
        {% endfor %}
        case auctions.declarer % 2 when 0 then team_0_score else team_1_score end > 0 as made,
        auctions.ingest_no
    from auctions
    left join taken on auctions.hand_id = taken.hand_id
    left join melds on auctions.hand_id = melds.hand_id
    where taken.hand_id is not null or not auctions.is_played
)

select {{ contracted_columns() }}
from scored

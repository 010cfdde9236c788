-- Melds by the cards dealt and the trump, not by what was declared. Each card counts by itself in every
-- meld it is part of; ranks and suits have no letter in common, so a card is found by its two letters.
{{ config(materialized='incremental') }}
{% set suits = ['C', 'D', 'H', 'S'] %}
{% set arounds = {'a': 'aces', 'k': 'kings', 'q': 'queens', 'j': 'jacks'} %}
with dealt as (
    select
        hand_id,
        seat,
        cards
    from {{ new_rows(ref('stg_events')) }}
    where game = 'pinochle' and kind = 'deal' and action = 'hand' and not contains(cards, '?')
),

shown as (
    select
        hand_id,
        seat
    from {{ new_rows(ref('stg_events')) }}
    where game = 'pinochle' and kind = 'meld'
),

hands as (
    select
        dealt.hand_id,
        dealt.seat,
        dealt.cards,
        auctions.ingest_no,
        coalesce(auctions.trump, 'none') as trump
    from shown
    inner join dealt on shown.hand_id = dealt.hand_id and shown.seat = dealt.seat
    inner join {{ new_rows(ref('int_pinochle_auctions')) }} as auctions on shown.hand_id = auctions.hand_id
),

held as (
    select
        {% for suit in suits %}
        {% for rank in ['A', 'T', 'K', 'Q', 'J', '9'] %}
        {% set card = rank ~ suit %}
        (length(cards) - length(replace(cards, '{{ card }}', ''))) // 2 as card_{{ card | lower }},
        {% endfor %}
        {% endfor %}
        hand_id,
        seat,
        trump,
        ingest_no
    from hands
),

counted as (
    select
        {% for suit in suits | map('lower') %}
        least(card_k{{ suit }}, card_q{{ suit }}) as marriages_{{ suit }},
        least(card_a{{ suit }}, card_t{{ suit }}, card_j{{ suit }}, marriages_{{ suit }}) as runs_{{ suit }},
        {% endfor %}
        {% for rank in arounds %}
        least(card_{{ rank }}c, card_{{ rank }}d, card_{{ rank }}h, card_{{ rank }}s) as around_{{ rank }},
        {% endfor %}
        least(card_jd, card_qs) as pinochles,
        case trump
            {% for suit in suits %}
            when '{{ suit }}' then card_9{{ suit | lower }}
            {% endfor %}
            else 0
        end as nines,
        case trump
            {% for suit in suits %}
            when '{{ suit }}' then runs_{{ suit | lower }}
            {% endfor %}
            else 0
        end as runs,
        case trump
            {% for suit in suits %}
            when '{{ suit }}' then marriages_{{ suit | lower }}
            {% endfor %}
            else 0
        end as trump_marriages,
        marriages_c + marriages_d + marriages_h + marriages_s - trump_marriages as marriages,
        hand_id,
        seat,
        ingest_no
    from held
),

listed as (
    select
        hand_id,
        seat,
        ingest_no,
        unnest([
            'nine',
            'run',
            'run_pair',
            'double_run',
            'trump_marriage',
            'marriage',
            {% for name in arounds.values() %}
            '{{ name }}',
            'double_{{ name }}',
            {% endfor %}
            'pinochle',
            'double_pinochle'
        ]) as meld,
        unnest([
            nines,
            (runs = 1)::integer,
            case runs when 1 then trump_marriages - 1 else 0 end,
            (runs = 2)::integer,
            case runs when 0 then trump_marriages else 0 end,
            marriages,
            {% for rank in arounds %}
            (around_{{ rank }} = 1)::integer,
            (around_{{ rank }} = 2)::integer,
            {% endfor %}
            (pinochles = 1)::integer,
            (pinochles = 2)::integer
        ]) as times
    from counted
)

select
    listed.hand_id,
    listed.seat,
    listed.meld,
    listed.times::integer as times,
    (listed.times * worth.points)::integer as points,
    listed.ingest_no
from listed
inner join {{ ref('pinochle_melds') }} as worth on listed.meld = worth.meld
where listed.times > 0

-- A view: as a table it would be larger than all the rest, since every row holds all cards on the table.
{{ config(materialized='view') }}

{% set until = "over (partition by acts.hand_id order by acts.seq)" %}

with hands as (
    select
        hand_id,
        num_suits,
        middle
    from {{ ref('int_ruter_sju_hands') }}
)

select
    acts.hand_id,
    acts.seq,
    acts.seat,
    acts.action,
    acts.card,
    map_from_entries(
        [
            {% for suit in range(6) %}
            (
                {{ suit }}::tinyint,
                {
                    {% for name, sign in (("under", "<"), ("center", "="), ("over", ">")) %}
                    '{{ name }}': coalesce(
                        list(acts.number) filter (
                            where acts.suit_no = {{ suit }} and acts.number {{ sign }} hands.middle
                        ) {{ until }},
                        []
                    ){{ "," if not loop.last }}
                    {% endfor %}
                }
            ){{ "," if not loop.last }}
            {% endfor %}
        ][1:hands.num_suits]
    ) as game_state
from {{ ref('ruter_sju_acts') }} as acts
inner join hands on acts.hand_id = hands.hand_id

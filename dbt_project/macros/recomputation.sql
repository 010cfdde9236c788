{#
The complete hands of a game whose points by bids and cards alone are not the fold's, with both sides of each: the rows
that the two relations do not have equally often; nulls are equal.
#}
{% macro recomputation_and_fold_differ(game, more_columns=[]) -%}
{% set columns = [
    "hand_id", "declarer", "contract", "trump", "trick_winners",
    "team_0_points", "team_1_points", "team_0_score", "team_1_score"
] + more_columns -%}
with both_sides as (
    select
        {{ columns | join(", ") }},
        1 as surplus
    from {{ untested(ref(game ~ "_recomputed_points")) }}
    union all
    select
        {{ columns | join(", ") }},
        -1 as surplus
    from {{ untested(ref("hands")) }}
    where game = '{{ game }}' and status = 'complete'
)

select
    {{ columns | join(", ") }},
    sum(surplus) as surplus
from both_sides
group by all
having sum(surplus) <> 0
{%- endmacro %}

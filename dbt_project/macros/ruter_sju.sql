{#
CTEs that sum up a CTE `name` of what seats did in order, with `has_taken` and `has_block`: `<name>_runs`,
stretches with the block one after the other; `<name>_run_lengths`; `<name>_totals`, one row per hand and seat.

order_by: the column that orders the rows of a seat. counted: the column that says when the block was first taken.
#}
{% macro block_totals(name, order_by, counted) -%}
{{ name }}_runs as (
    select
        *,
        count(*) filter (where not has_block) over (
            partition by hand_id, seat order by {{ order_by }}
        ) as run_no
    from {{ name }}
),

{{ name }}_run_lengths as (
    select
        hand_id,
        seat,
        run_no,
        count(*) as steps,
        count(*) filter (where has_taken) as taken,
        count(*) filter (where has_block) as with_block,
        min({{ counted }}) filter (where has_taken) as first_taken
    from {{ name }}_runs
    group by all
),

{{ name }}_totals as (
    select
        hand_id,
        seat,
        sum(steps)::integer as steps,
        sum(taken)::integer as times_taken,
        sum(with_block)::integer as with_block,
        max(with_block)::integer as most_with_block,
        min(first_taken)::integer as first_taken
    from {{ name }}_run_lengths
    group by all
)
{%- endmacro %}

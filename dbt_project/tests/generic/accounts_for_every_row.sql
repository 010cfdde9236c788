{% test accounts_for_every_row(model, column_name, to, to_where='true', times=1) %}
-- One row if the column's total is not the number of rows of another relation, times a factor.
with counted as (
    select coalesce(sum({{ column_name }}), 0) as total
    from {{ model }}
),

expected as (
    select count(*) * {{ times }} as total
    from {{ to }}
    where {{ to_where }}
)

select
    counted.total as total_counted,
    expected.total as total_expected
from counted
cross join expected
where counted.total <> expected.total
{% endtest %}

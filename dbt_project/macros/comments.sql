{# The descriptions of a mart or seed and its columns as comments, which duckdb_columns() lists. #}
{% macro comments_on(relation, model) -%}
{% if model.fqn[1] == "marts" or model.resource_type == "seed" %}
comment on {{ relation.type }} {{ relation }} is {{ duckdb_escape_comment(model.description) }};
{% for column in model.columns.values() %}
comment on column {{ relation }}.{{ column.name }} is {{ duckdb_escape_comment(column.description) }};
{% endfor %}
{% endif %}
{%- endmacro %}

{# dbt's own macro, which its incremental materialization calls. Added rows leave the comments alone. #}
{% macro duckdb__persist_docs(relation, model, for_relation, for_columns) -%}
{% set comments = comments_on(relation, model) | trim if should_full_refresh() else "" %}
{% if comments %}
{% call statement("comments") %}{{ comments }}{% endcall %}
{% endif %}
{%- endmacro %}

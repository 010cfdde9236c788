{#
Views and tables are made in place: the warehouse that dbt builds is a draft that nobody reads. dbt's own
materializations make each under another name, and rename it and what it replaces, which takes longer than most
models.
#}
{% materialization view, adapter="duckdb" %}
{{ return(_make_in_place(this.incorporate(type="view"), create_view_as)) }}
{% endmaterialization %}

{% materialization table, adapter="duckdb" %}
{{ return(_make_in_place(this.incorporate(type="table"), create_table_as)) }}
{% endmaterialization %}

{# What is there is dropped in the same transaction, so that a model that fails leaves it. #}
{% macro _make_in_place(target, create) -%}
{% set existing = load_cached_relation(target) %}
{% call statement("main") -%}
{% if existing is not none %}drop {{ existing.type }} {{ existing }};{% endif %}
{{ create(target, sql) if target.is_view else create(false, target, sql) }};
{{ comments_on(target, model) }}
{%- endcall %}
{% do adapter.commit() %}
{% do return({"relations": [target]}) %}
{%- endmacro %}

{#
Views and tables are made in place, and rows added to them directly: the warehouse that dbt builds is a draft that
nobody reads. dbt's own materializations make each under another name, and rename it and what it replaces, or gather
new rows in a table of their own and compare its columns with those there are, which takes longer than most models.
#}
{% materialization view, adapter="duckdb" %}
{{ return(_make_in_place(this.incorporate(type="view"), create_view_as)) }}
{% endmaterialization %}

{% materialization table, adapter="duckdb" %}
{{ return(_make_in_place(this.incorporate(type="table"), create_table_as)) }}
{% endmaterialization %}

{% materialization incremental, adapter="duckdb" %}
{% if is_incremental() %}
{{ return(_add_in_place(this.incorporate(type="table"))) }}
{% endif %}
{{ return(_make_in_place(this.incorporate(type="table"), create_table_as)) }}
{% endmaterialization %}

{# What is there is dropped in the same transaction, so that a model that fails leaves it. #}
{% macro _make_in_place(target, create) -%}
{% set existing = load_cached_relation(target) %}
{% if existing is not none and existing.type == target.type and is_made_by_this_version() %}
{% do return(_refill_in_place(target)) %}
{% endif %}
{% call statement("main") -%}
{% if existing is not none %}drop {{ existing.type }} {{ existing }};{% endif %}
{{ create(target, sql) if target.is_view else create(false, target, sql) }};
{{ comments_on(target, model) }}
{%- endcall %}
{% do adapter.commit() %}
{% do return({"relations": [target]}) %}
{%- endmacro %}

{# Whether what is in the warehouse was made by these very models, as `cardlog build` knows. #}
{% macro is_made_by_this_version() -%}
{% do return(not should_full_refresh() and env_var("CARDLOG_DBT_SAME_PROJECT", "no") == "yes") %}
{%- endmacro %}

{# A view stays as it is; a table keeps its columns, constraints and comments, and gets new rows. #}
{% macro _refill_in_place(target) -%}
{% call statement("main") -%}
{% if target.is_view %}select 1{% else %}truncate {{ target }}; insert into {{ target }} by name {{ sql }}{% endif %}
{%- endcall %}
{% do adapter.commit() %}
{% do return({"relations": [target]}) %}
{%- endmacro %}

{#
New rows; with a unique_key they replace those of the same key. The contract was checked when the table was made, by
the same version of the project: another one makes all tables again.
#}
{% macro _add_in_place(target) -%}
{% set key = config.get("unique_key") %}
{% set new = added(target) if is_made_by_this_version() else "added" %}
{% call statement("main") -%}
{% if is_made_by_this_version() %}insert into {{ new }} by name{% else %}create temporary table {{ new }} as{% endif %}
{{ sql }};
{% if key %}delete from {{ target }} where {{ key }} in (select {{ key }} from {{ new }});{% endif %}
insert into {{ target }} by name from {{ new }};
{% if not is_made_by_this_version() %}drop table {{ new }}{% endif %}
{%- endcall %}
{% do adapter.commit() %}
{% do return({"relations": [target]}) %}
{%- endmacro %}

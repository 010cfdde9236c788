{#
What an incremental model or its tests read of another incremental model: in an increment the rows that belong to the
hands that are new to this warehouse, by the source `new_hands`; otherwise, as in a unit test, which has no
relation of its own, all rows. Staging models hold the new hands alone by themselves, as the store's tables do in an
increment.
#}
{% macro of_new_hands(relation) -%}
{{ _new_in_increment(relation, "hand_id", are_added=true) }}
{%- endmacro %}

{# The rows of all matches that a new hand belongs to. #}
{% macro of_new_matches(relation) -%}
{{ _new_in_increment(relation, "match_id") }}
{%- endmacro %}

{# The rows of all sources that a new hand was read from. #}
{% macro of_new_sources(relation) -%}
{{ _new_in_increment(relation, "source_id") }}
{%- endmacro %}

{# For data tests: the rows of an incremental model that this run has made; all rows of any other. #}
{% macro tested(relation) -%}
{% set key = _key_of(relation) if execute and not should_full_refresh() else none %}
{{ relation if key is none else _new_rows(added(relation), key) }}
{%- endmacro %}

{#
The table of the rows that this build adds to an incremental model, which is far smaller. `cardlog build` makes these
tables for increments, empty at first, and drops them before the warehouse is published.
#}
{% macro added(relation) -%}
{{ relation.incorporate(path={"schema": "new_rows"}) if is_made_by_this_version() else relation }}
{%- endmacro %}

{% macro _new_in_increment(relation, key, are_added=false) -%}
{% if this is not none and is_incremental() -%}
{{ _new_rows(added(relation) if are_added else relation, key) }}
{%- else -%}
{{ relation }}
{%- endif %}
{%- endmacro %}

{% macro _new_rows(relation, key) -%}
(select * from {{ relation }} where {{ key }} in (select {{ key }} from {{ source("store", "new_hands") }}))
{%- endmacro %}

{# The column by which rows of an incremental model belong to new hands; none of sums and other models. #}
{% macro _key_of(relation) -%}
{% for node in graph.nodes.values() if node.name == relation.identifier and node.resource_type == "model" %}
{% if node.config.materialized == "incremental" and node.config.unique_key == "match_id" %}
{% do return("match_id") %}
{% elif node.config.materialized == "incremental" and "hand_id" in node.columns %}
{% do return("hand_id") %}
{% endif %}
{% endfor %}
{% do return(none) %}
{%- endmacro %}

{# dbt's own macro, by which every generic test reads its model. #}
{% macro get_where_subquery(relation) -%}
{% set where = config.get("where") %}
{% set rows = tested(relation) | trim %}
{% if where %}
{% do return("(select * from " ~ rows ~ " as tested where " ~ where ~ ") as dbt_subquery") %}
{% endif %}
{% do return(rows) %}
{%- endmacro %}

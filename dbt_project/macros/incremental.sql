{#
What an incremental model reads of another relation: in an increment the rows that came with a commit above the last
one that it has read, by the column `ingest_no`; otherwise all rows. The number is looked up beforehand, since DuckDB
skips row groups only by a literal.
#}
{% macro new_rows(relation) -%}
{% if this and is_incremental() -%}
(select * from {{ relation }} where ingest_no > {{ cardlog.last_ingest_no() }})
{%- else -%}
{{ relation }}
{%- endif %}
{%- endmacro %}

{# The rows of all matches that have a new hand. #}
{% macro new_matches(relation) -%}
{% set hands = ref("stg_playedhand") -%}
{% if this and is_incremental() -%}
(
    select * from {{ relation }}
    where match_id in (select match_id from {{ hands }} where ingest_no > {{ cardlog.last_ingest_no() }})
)
{%- else -%}
{{ relation }}
{%- endif %}
{%- endmacro %}

{#
The rows of all sources with the path of one that a new hand was read from: a log that grows is a source each
time.
#}
{% macro new_paths(relation) -%}
{% set hands, ingests = ref("stg_playedhand"), ref("stg_ingests") -%}
{% if this and is_incremental() -%}
(
    select * from {{ relation }}
    where source_id in (
        select alike.source_id
        from {{ ingests }} as alike
        inner join {{ ingests }} as read on alike.source_path = read.source_path
        inner join {{ hands }} as hands on read.source_id = hands.source_id
        where hands.ingest_no > {{ cardlog.last_ingest_no() }}
    )
)
{%- else -%}
{{ relation }}
{%- endif %}
{%- endmacro %}

{#
The highest `ingest_no` that an incremental model has read: that of the last build, since not every hand leaves a row
in every model, or in `dbt build` by hand, which the build does not know of, that of the model's rows.
#}
{% macro last_ingest_no() -%}
{% set read = "select ingest_no from " ~ source("store", "tested") -%}
{{ run_query("select greatest(max(ingest_no), (" ~ read ~ ")) from " ~ this).columns[0].values()[0] }}
{%- endmacro %}

{#
For data tests that guard each build: the rows that no earlier build has tested; all rows with --full-refresh and in
`dbt test`.
#}
{% macro untested(relation) -%}
{% set tested = source("store", "tested") -%}
{% if execute and flags.WHICH == 'build' and not flags.FULL_REFRESH -%}
{% set ingest_no = run_query("select ingest_no from " ~ tested).columns[0].values()[0] -%}
(select * from {{ relation }} where ingest_no > {{ ingest_no }})
{%- else -%}
{{ relation }}
{%- endif %}
{%- endmacro %}

{# Drops the new rows of an incremental model in Python, which dbt-duckdb leaves behind as a table. #}
{% macro drop_new_rows() -%}
{% if execute -%}
{% for row in run_query(
    "select table_name from duckdb_tables() where starts_with(table_name, '" ~ this.identifier ~ "__dbt_tmp')"
) -%}
drop table {{ this.schema }}.{{ row[0] }};
{% endfor -%}
{% endif -%}
{%- endmacro %}

{# dbt's own macro: a schema is called what it is called in dbt_project.yml. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
{{ custom_schema_name or target.schema }}
{%- endmacro %}

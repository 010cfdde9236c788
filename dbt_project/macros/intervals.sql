{# Ends of the 95 % interval of a mean, by its standard error; null for a single row. #}
{% macro mean_low(value) -%}
avg({{ value }}) - 1.96 * stddev_samp({{ value }}) / sqrt(count(*))
{%- endmacro %}

{% macro mean_high(value) -%}
avg({{ value }}) + 1.96 * stddev_samp({{ value }}) / sqrt(count(*))
{%- endmacro %}

{# Ends of the 95 % interval of a rate, by Wilson's formula. rate: an average of zeros and ones, in SQL. #}
{% macro wilson_low(rate) -%}
{{ _wilson(rate, "-") }}
{%- endmacro %}

{% macro wilson_high(rate) -%}
{{ _wilson(rate, "+") }}
{%- endmacro %}

{% macro _wilson(rate, sign) -%}
({{ rate }} + 1.9208 / count(*) {{ sign }} 1.96 * sqrt(
    greatest({{ rate }} * (1 - {{ rate }}), 0) / count(*) + 0.9604 / count(*) ** 2
)) / (1 + 3.8416 / count(*))
{%- endmacro %}

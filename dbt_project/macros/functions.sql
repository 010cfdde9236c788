{#
Functions of DuckDB that the views of marts call, made in the warehouse by each run of dbt: written out wherever
they are used they would be most of a view's text. Each lambda names what the next one needs.
#}
{% macro create_functions() -%}
-- The person that a name is of: the name itself, unless a build has found the user's aliases.csv.
create macro if not exists person(name) as name;

-- The upper 2.5 % point of Student's t: for up to ten degrees of freedom from a table, beyond by the
-- expansion in Abramowitz and Stegun, 26.7.5, which is exact to five decimals there.
create or replace macro t_quantile(freedom) as coalesce(
    [
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582,
        2.446912, 2.364624, 2.306004, 2.262157, 2.228139
    ][freedom]::double,
    1.959964 + (2.372271 + (2.822502 + (2.555852 + 1.589534 / freedom) / freedom) / freedom) / freedom
);

-- The mean of clusters, their effective number, null below five, Student's t for that, and the variance of the mean;
-- from the sums of their rows n and totals y, of nn = n * n, ny = n * y and yy = y * y.
create or replace macro mean_of_clusters(n, y, nn, ny, yy) as list_transform(
    list_transform(
        [{'n': nullif(n, 0)::double, 'y': y::double, 'nn': nn::double, 'ny': ny::double, 'yy': yy::double}],
        lambda sums: {
            'sums': sums,
            'mean': sums.y / sums.n,
            'clusters': case when sums.n ** 2 >= 5 * sums.nn then sums.n ** 2 / sums.nn end
        }
    ),
    lambda given: {
        'mean': given.mean,
        'clusters': given.clusters,
        't': t_quantile(floor(given.clusters)::integer - 1),
        'variance':
            greatest(given.sums.yy - 2 * given.mean * given.sums.ny + given.mean ** 2 * given.sums.nn, 0)
            / given.sums.n ** 2 * given.clusters / (given.clusters - 1),
        'share_of_a_row': least(given.clusters / given.sums.n, 1)
    }
)[1];

-- An end of the interval of such a mean, the lower one with the sign -1.
create or replace macro unbounded_end(sign, n, y, nn, ny, yy) as list_transform(
    [mean_of_clusters(n, y, nn, ny, yy)],
    lambda given: case
        when given.variance > 1e-12 * given.mean ** 2 then given.mean + sign * given.t * sqrt(given.variance)
    end
)[1];

-- The same for values from `lowest` to `highest`: Wilson's formula with `drawn` in place of t ** 2 / n.
create or replace macro bounded_end(sign, n, y, nn, ny, yy, lowest, highest) as list_transform(
    list_transform(
        list_transform(
            [{
                'of': mean_of_clusters(n, y, nn, ny, yy),
                'lowest': lowest::double,
                'highest': highest::double
            }],
            lambda given: {
                'of': given.of,
                'lowest': given.lowest,
                'highest': given.highest,
                'most_variance': greatest((given.of.mean - given.lowest) * (given.highest - given.of.mean), 0)
            }
        ),
        lambda given: {
            'of': given.of,
            'lowest': given.lowest,
            'highest': given.highest,
            'most_variance': given.most_variance,
            'drawn':
                given.of.t ** 2 * (
                    given.of.clusters * coalesce(
                        given.of.clusters * given.of.variance / nullif(given.most_variance, 0),
                        given.of.share_of_a_row
                    ) + given.of.share_of_a_row
                ) / (given.of.clusters + 1) / given.of.clusters
        }
    ),
    lambda given: case
        when given.of.clusters is not null and given.highest > given.lowest
            then least(greatest((
                given.of.mean + given.drawn * (given.lowest + given.highest) / 2 + sign * sqrt(
                    given.drawn * given.most_variance
                    + (given.drawn * (given.highest - given.lowest) / 2) ** 2
                )
            ) / (1 + given.drawn), given.lowest), given.highest)
    end
)[1];

-- The mean of a value with its 95 % interval as marts have it, an aggregate: `unit` is what rows of which depend on one
-- another, such as a match. A boolean is a rate; numbers have no bounds unless `lowest` and `highest` are given.
create or replace macro interval_of_rows(clustered, lowest, highest) as (
    select
        {
            'mean': sum(y) / nullif(sum(n), 0),
            'low': case
                when lowest is null then unbounded_end(-1, sum(n), sum(y), sum(n * n), sum(n * y), sum(y * y))
                else bounded_end(-1, sum(n), sum(y), sum(n * n), sum(n * y), sum(y * y), lowest, highest)
            end,
            'high': case
                when lowest is null then unbounded_end(1, sum(n), sum(y), sum(n * n), sum(n * y), sum(y * y))
                else bounded_end(1, sum(n), sum(y), sum(n * n), sum(n * y), sum(y * y), lowest, highest)
            end
        }
    from (
        select
            given.cluster,
            count(*) as n,
            sum(given.value) as y
        from (select unnest(clustered) as given)
        group by given.cluster
    )
);

create or replace macro interval_of(value, unit, lowest := null, highest := null) as interval_of_rows(
    list({'cluster': hash(unit) % 1000, 'value': value::double}) filter (where value is not null),
    coalesce(lowest, case typeof(any_value(value)) when 'BOOLEAN' then 0 end),
    coalesce(highest, case typeof(any_value(value)) when 'BOOLEAN' then 1 end)
);

-- An end of the interval of a rate, by Wilson's formula for independent rows.
create or replace macro wilson_end(sign, hits, total) as list_transform(
    [1.959964::double],
    lambda z: case
        when total > 0 then least(greatest((
            hits + z ** 2 / 2 + sign * z * sqrt(hits * (total - hits) / total + z ** 2 / 4)
        ) / (total + z ** 2), 0), 1)
    end
)[1];
{%- endmacro %}

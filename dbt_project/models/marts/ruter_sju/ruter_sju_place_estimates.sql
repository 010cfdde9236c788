-- Equal hands of a data set are few, so each mean is drawn towards that of all hands with as many end
-- cards, as if twenty more hands had finished like those; and that one likewise towards the mean of all
-- hands. The interval is that of the mean of these hands and the twenty, with the deviation of places among
-- all hands.
{% set of_table = ['dataset', 'num_suits', 'cards_per_suit', 'num_players', 'kind'] %}
{% set prior_hands = 20 %}

with hands as (
    select
        {{ of_table | join(', ') }},
        num_extremes,
        num_center,
        num_opener,
        count(*) as hands,
        count(*) filter (where place = 1) as wins,
        sum(place) as places,
        sum(place * place) as squares
    from {{ ref('int_ruter_sju_dealt_hands') }}
    where is_for_estimate
    group by all
),

estimated as (
    select
        *,
        (sum(hands) over at_tables)::bigint as hands_at_tables,
        sum(places) over at_tables as places_at_tables,
        sqrt(greatest(
            hands_at_tables * sum(squares) over at_tables - places_at_tables * places_at_tables, 0
        ) / hands_at_tables / nullif(hands_at_tables - 1, 0)) as deviation,
        hands + {{ prior_hands }} as hands_and_prior,
        {% for name, total in (('place', 'places'), ('win_rate', 'wins')) %}
        (
            sum({{ total }}) over alike
            + {{ prior_hands }} * sum({{ total }}) over at_tables / hands_at_tables
        ) / (sum(hands) over alike + {{ prior_hands }}) as {{ name }}_of_alike,
        ({{ total }} + {{ prior_hands }} * {{ name }}_of_alike) / hands_and_prior as estimated_{{ name }},
        {% endfor %}
        t_quantile(hands_at_tables - 1) * deviation / sqrt(hands_and_prior) as place_error,
        estimated_win_rate * hands_and_prior as wins_and_prior
    from hands
    window
        at_tables as (partition by {{ of_table | join(', ') }}),
        alike as (partition by {{ of_table | join(', ') }}, num_extremes)
)

select
    {{ of_table | join(', ') }},
    num_extremes,
    num_center,
    num_opener,
    hands,
    estimated_place,
    case
        when place_error is not null then greatest(estimated_place - place_error, 1)
    end as estimated_place_low,
    case
        when place_error is not null then least(estimated_place + place_error, num_players)
    end as estimated_place_high,
    estimated_win_rate,
    wilson_end(-1, wins_and_prior, hands_and_prior) as estimated_win_rate_low,
    wilson_end(1, wins_and_prior, hands_and_prior) as estimated_win_rate_high
from estimated

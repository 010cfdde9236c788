with

sides as (
    select * from {{ ref('int_match_sides') }}
    where is_over
),

-- The last hundred are found without sorting all.
counted as (
    select
        game,
        dataset,
        is_pair,
        player_name,
        player_kind,
        partner_name,
        partner_kind,
        count(*) as matches,
        count(*) filter (where is_won) as matches_won,
        arg_max(is_won, (added_date is not null, added_date, match_id, -seat), 100) as last_results
    from sides
    group by all
),

final as (
    select
        * exclude (last_results),
        {{ rate('win_rate', 'matches_won', 'matches') }},
        length(last_results) as last_matches,
        length(list_filter(last_results, lambda is_won: is_won)) as last_matches_won,
        {{ rate('last_win_rate', 'last_matches_won', 'last_matches') }}
    from counted
)

select * from final

with

sides as (
    select * from {{ ref('int_match_sides') }}
    where is_over
),

sources as (
    select
        source_id,
        dataset,
        min(ingested_at) as ingested_at,
        min(source_path) as source_path
    from {{ ref('stg_ingests') }}
    group by all
),

-- The last hundred are found without sorting all.
counted as (
    select
        sides.game,
        sides.dataset,
        sides.is_pair,
        sides.player_name,
        sides.player_kind,
        sides.partner_name,
        sides.partner_kind,
        count(*) as matches,
        count(*) filter (where sides.is_won) as matches_won,
        arg_max(
            sides.is_won,
            (
                sides.added_date is not null,
                sides.added_date,
                sources.ingested_at,
                sources.source_path,
                sides.source_line,
                sides.match_id,
                -sides.seat
            ),
            100
        ) as last_results
    from sides
    left join sources
        on
            sides.source_id = sources.source_id
            and sides.source_dataset is not distinct from sources.dataset
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

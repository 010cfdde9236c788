with

totals as (
    {{ totals(
        ref('int_players_sums'),
        by=['game', 'dataset', 'player_name', 'player_kind'],
        counts=['hands', 'complete_hands', 'hands_won', 'net'],
        means=['mean_score_difference', 'mean_place']
    ) }}
),

matches as (
    select
        game,
        dataset,
        player_name,
        player_kind,
        count(distinct match_id) as matches
    from {{ ref('int_players_matches') }}
    group by all
),

joined as (
    select
        totals.*,
        coalesce(matches.matches, 0) as matches
    from totals
    left join matches
        on
            totals.game = matches.game
            and totals.dataset is not distinct from matches.dataset
            and totals.player_name is not distinct from matches.player_name
            and totals.player_kind is not distinct from matches.player_kind
),

final as (
    select
        game,
        dataset,
        player_name,
        player_kind,
        hands,
        complete_hands,
        matches,
        hands_won,
        {{ rate('share_won', 'hands_won', 'complete_hands') }},
        {{ mean_of_sums('mean_score_difference') }},
        {{ mean_of_sums('mean_place') }},
        net
    from joined
)

select * from final

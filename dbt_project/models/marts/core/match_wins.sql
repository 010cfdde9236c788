with

matches as (
    select * from {{ ref('matches') }}
    where is_over
),

hands as (
    select * from {{ ref('hands') }}
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

ordered as (
    select
        matches.game,
        matches.match_id,
        matches.dataset,
        matches.winner_team,
        matches.winner_seat,
        row_number() over (
            order by
                hands.added_date nulls first,
                sources.ingested_at,
                sources.source_path,
                hands.source_line,
                matches.match_id
        ) as match_no
    from matches
    inner join hands on matches.last_hand_id = hands.hand_id
    left join sources
        on
            hands.source_id = sources.source_id
            and hands.dataset is not distinct from sources.dataset
),

-- Who sat there last; a seat that is out before the last hand is part of the match too.
seats as (
    select
        game,
        match_id,
        seat,
        any_value(team) as team,
        any_value(partner_seat) as partner_seat,
        arg_max([player_name, player_kind], hand_no) as player,
        arg_max([partner_name, partner_kind], hand_no) as partner
    from {{ ref('seats') }}
    where match_id is not null
    group by all
),

pairs as (
    select
        *,
        (coalesce(player[1], ''), coalesce(player[2], ''))
        <= (coalesce(partner[1], ''), coalesce(partner[2], '')) as is_in_order
    from seats
    where seat < partner_seat
),

sides as (
    select
        game,
        match_id,
        seat,
        team,
        false as is_pair,
        player[1] as player_name,
        player[2] as player_kind,
        null as partner_name,
        null as partner_kind
    from seats
    union all
    select
        game,
        match_id,
        seat,
        team,
        true as is_pair,
        case when is_in_order then player[1] else partner[1] end as player_name,
        case when is_in_order then player[2] else partner[2] end as player_kind,
        case when is_in_order then partner[1] else player[1] end as partner_name,
        case when is_in_order then partner[2] else player[2] end as partner_kind
    from pairs
),

results as (
    select
        sides.game,
        ordered.dataset,
        sides.is_pair,
        sides.player_name,
        sides.player_kind,
        sides.partner_name,
        sides.partner_kind,
        coalesce(ordered.winner_team = sides.team, ordered.winner_seat = sides.seat, false) as is_won,
        row_number() over (
            partition by
                sides.game,
                ordered.dataset,
                sides.is_pair,
                sides.player_name,
                sides.player_kind,
                sides.partner_name,
                sides.partner_kind
            order by ordered.match_no desc, sides.seat asc
        ) <= 100 as is_late
    from ordered
    inner join sides on ordered.game = sides.game and ordered.match_id = sides.match_id
),

final as (
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
        {{ rate('win_rate', 'matches_won', 'matches') }},
        count(*) filter (where is_late) as last_matches,
        count(*) filter (where is_late and is_won) as last_matches_won,
        {{ rate('last_win_rate', 'last_matches_won', 'last_matches') }}
    from results
    group by all
)

select * from final

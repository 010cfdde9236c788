-- What belongs to another team than the seat's, or to a team in a game without teams.
with seats as (
    select * from {{ untested(ref('stg_seats')) }}
),

tricks as (
    select
        tricks.hand_id,
        'winner_team' as wrong
    from {{ untested(ref('stg_tricks')) }} as tricks
    inner join seats on tricks.hand_id = seats.hand_id and tricks.winner = seats.seat
    where tricks.winner_team is distinct from seats.team
),

hands as (
    select
        hands.hand_id,
        if(hands.declarer_team is distinct from seats.team, 'declarer_team', 'team_0_points') as wrong
    from {{ untested(ref('hands')) }} as hands
    inner join seats on hands.hand_id = seats.hand_id and coalesce(hands.declarer, 0) = seats.seat
    where
        (hands.declarer is not null and hands.declarer_team is distinct from seats.team)
        or (
            seats.team is null
            and coalesce(
                hands.team_0_points, hands.team_1_points, hands.team_0_score, hands.team_1_score
            ) is not null
        )
),

matches as (
    select
        matches.last_hand_id as hand_id,
        'winner of the match' as wrong
    from {{ untested(ref('matches')) }} as matches
    inner join seats on matches.last_hand_id = seats.hand_id
    where
        if(
            seats.team is null,
            coalesce(matches.winner_team, matches.team_0_points, matches.team_1_points),
            matches.winner_seat
        ) is not null
)

select * from tricks
union
select * from hands
union
select * from matches

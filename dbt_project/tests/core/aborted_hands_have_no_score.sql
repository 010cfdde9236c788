-- The hands that broke off and still have a score, or were made.
select
    game,
    hand_id,
    team_0_score,
    team_1_score,
    made
from {{ untested(ref('hands')) }}
where status = 'aborted' and coalesce(team_0_score, team_1_score, made::integer) is not null

-- The matches whose reported totals are not the sums of their hands' scores, or that the wrong team has won.
select
    match_id,
    team_0_total,
    team_1_total,
    team_0_scores,
    team_1_scores,
    winner
from {{ untested(ref('belote_matches')) }}
where
    (is_unbroken and (team_0_total <> team_0_scores or team_1_total <> team_1_scores))
    or greatest(team_0_total, team_1_total) < if(winner is null, 0, 1001)
    or winner <> (team_1_total > team_0_total)::integer

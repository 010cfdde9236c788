-- The belote hands whose tricks are not worth 162, or whose scores are not all that there is.
select
    hand_id,
    team_0_points,
    team_1_points,
    hand_value,
    team_0_score,
    team_1_score
from {{ untested(ref('belote_recomputed_points')) }}
where
    team_0_points + team_1_points <> 162
    or hand_value <> 162 + team_0_declared + team_1_declared + team_0_bela + team_1_bela
    or team_0_score + team_1_score <> hand_value + if(swept_by is null, 0, 90)

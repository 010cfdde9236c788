-- The Pinochle hands that were played and are not worth 25 counters.
select
    hand_id,
    team_0_points,
    team_1_points
from {{ untested(ref('pinochle_recomputed_points')) }}
where trick_winners <> '' and team_0_points + team_1_points <> 25

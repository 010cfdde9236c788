-- The complete Kaiser hands that are not worth 10 points in eight tricks, or not scored by the contract.
select
    hand_id,
    trick_winners,
    contract,
    trump,
    made,
    declarer_points,
    defender_points,
    declarer_score,
    defender_score
from {{ untested(ref('hands')) }}
where
    game = 'kaiser' and status = 'complete'
    and not coalesce(
        declarer_points + defender_points = 10
        and least(declarer_points, defender_points) >= -2
        and regexp_full_match(trick_winners, '[0-3]{8}')
        and made = (declarer_points >= contract)
        and declarer_score = if(made, declarer_points, -contract) * if(trump = 'N', 2, 1)
        and defender_score = defender_points,
        false
    )

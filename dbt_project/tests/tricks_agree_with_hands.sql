-- The tricks whose winner is not that of trick_winners; in Kaiser also those not led by the winner of the
-- trick before, or the first not led by the declarer.
with

tricks as (
    select * from {{ tested(ref('tricks_taken')) }}
),

hands as (
    select * from {{ tested(ref('hands')) }}
)

select
    tricks.hand_id,
    tricks.trick_no,
    tricks.leader,
    tricks.winner,
    hands.declarer,
    hands.trick_winners
from tricks
inner join hands on tricks.hand_id = hands.hand_id
where
    tricks.winner::varchar is distinct from hands.trick_winners[tricks.trick_no + 1]
    or (
        tricks.game = 'kaiser'
        and tricks.leader::varchar <> (hands.declarer || hands.trick_winners)[tricks.trick_no + 1]
    )

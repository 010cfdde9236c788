-- The whole games in which a card is missing, and those that leave the book without a human at the table of
-- the original program.
select
    hand_id,
    status,
    cards_placed,
    acts_not_allowed,
    num_human,
    dialect
from {{ untested(ref('ruter_sju_games')) }}
where
    (status = 'complete' and cards_placed <> num_suits * cards_per_suit)
    or (acts_not_allowed > 0 and (num_human = 0 or dialect <> 'original'))

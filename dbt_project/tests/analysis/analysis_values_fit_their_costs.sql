-- The decisions of which value, cost and the number of actions do not fit together.
select
    game,
    hand_id,
    step,
    best_value,
    value,
    second_value,
    cost_open,
    legal_actions,
    best_actions
from {{ ref('stg_analysis') }}
where
    cost_open < 0
    or abs(best_value - value - cost_open) >= 0.01
    or best_actions not between 1 and legal_actions
    or (second_value is null) <> (best_actions = legal_actions)
    or second_value >= best_value
    -- In games without tricks other moves may be as good.
    or length(best_cards) > 2 * best_actions
    or (trick_no is not null and length(best_cards) < 2 * best_actions)
    or (cost_open = 0) <> (contains(best_cards, card))

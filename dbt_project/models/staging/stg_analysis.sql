select
    game,
    hand_id,
    step,
    seat,
    trick_no,
    card,
    best_value::double as best_value,
    value::double as value,  -- noqa: RF04
    second_value::double as second_value,
    cost_open::double as cost_open,
    cost_known::double as cost_known,
    exact,
    legal_actions,
    best_actions,
    best_cards
from {{ source('store', 'analysis') }}

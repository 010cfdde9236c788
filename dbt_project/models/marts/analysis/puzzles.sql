with puzzles as (
    select
        *,
        best_cards as best_card,
        best_value - second_value as gap,
        card = best_cards as was_found
    from {{ ref('int_card_costs') }}
    where exact and best_actions = 1 and legal_actions > 1 and trick_no is not null
)

select {{ contracted_columns() }}
from puzzles

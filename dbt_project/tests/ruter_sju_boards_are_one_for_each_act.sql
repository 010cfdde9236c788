-- One row if there is not a board for each act. It counts rows: to look into them would make every board.
with

boards as (
    select count(*) as boards
    from {{ ref('ruter_sju_boards') }}
),

acts as (
    select count(*) as acts
    from {{ ref('ruter_sju_acts') }}
)

select
    boards.boards,
    acts.acts
from boards
cross join acts
where boards.boards <> acts.acts

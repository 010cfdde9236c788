select
    game,
    hand_id,
    par::double as par,
    exact
from {{ source('store', 'pars') }}

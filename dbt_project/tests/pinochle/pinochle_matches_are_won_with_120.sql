-- The seats that finish first in a match with less than 120 points.
select
    hand_id,
    seat,
    score_after
from {{ untested(ref('stg_seats')) }}
where game = 'pinochle' and reported_place = 1 and score_after < 120

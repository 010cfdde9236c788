select
    dataset,
    match_id,
    player_name,
    is_computer,
    min(added_date) as first_hand_at,
    max(added_date) as last_hand_at,
    count(*) as hands,
    count(*) filter (where vpip) as hands_entered,
    count(*) filter (where went_to_showdown) as showdowns,
    count(*) filter (where expected_net is not null) as all_ins,
    sum(net)::bigint as net,
    sum(adjusted_net) as adjusted_net,
    sum(net / nullif(big_blind, 0)) as big_blinds,
    sum(adjusted_net / nullif(big_blind, 0)) as adjusted_big_blinds
from {{ ref('hold_em_players') }}
where hand_status = 'complete' and match_id is not null
group by all

with hands as (
    select
        *,
        case declarer % 2 when 0 then team_0_points else team_1_points end as declarer_points,
        case declarer % 2 when 0 then team_0_score else team_1_score end > 0 as made
    from {{ ref('stg_playedhand') }}
    where game = 'kaiser' and status = 'complete'
),

special_cards as (
    select * from {{ ref('kaiser_cards') }}
    where points <> 0
),

seat_relations as (
    select * from {{ ref('seat_relations') }}
),

placed as (
    select
        hands.hand_id,
        hands.match_id,
        hands.dataset,
        hands.declarer,
        hands.trump,
        hands.trick_winners,
        hands.declarer_points,
        hands.made,
        hands.ingest_no,
        hands.played_cards,
        special_cards.card,
        special_cards.suit,
        special_cards.points as card_points,
        (instr(hands.played_cards, special_cards.card) - 1) // 8 as trick_no,
        (instr(hands.played_cards, special_cards.card) - 1) // 2 % 4 as play_no
    from hands
    cross join special_cards
),

-- The declarer leads the first trick, the winner of each trick the next.
seated as (
    select
        *,
        ((declarer || trick_winners)[trick_no + 1]::integer + play_no) % 4 as player,
        trick_winners[trick_no + 1]::integer as taker,
        played_cards[8 * trick_no + 2] as suit_led
    from placed
)

select
    seated.hand_id,
    seated.match_id,
    seated.dataset,
    seated.card,
    seated.card_points,
    seated.trick_no::tinyint as trick_no,
    case
        when seated.play_no = 0 then 'lead'
        when seated.suit = seated.trump then 'trump'
        when seated.suit = seated.suit_led then 'follow'
        else 'discard'
    end as played_as,
    seated.player::tinyint as played_by_seat,
    played_by.to_declarer as played_by,
    seated.taker::tinyint as taken_by_seat,
    taken_by.to_declarer as taken_by,
    taken_by.same_team as taken_by_bidders,
    seated.player % 2 <> seated.taker % 2 as captured,
    seated.declarer_points,
    seated.made,
    seated.ingest_no
from seated
inner join seat_relations as played_by on (seated.player - seated.declarer + 4) % 4 = played_by.steps
inner join seat_relations as taken_by on (seated.taker - seated.declarer + 4) % 4 = taken_by.steps

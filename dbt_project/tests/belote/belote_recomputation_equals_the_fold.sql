-- The hands whose points by bids and cards alone are not the fold's; both sides of each.
{{ config(tags=['new_rows']) }}

{% set hands = untested(ref('hands')) -%}
{{ differing_rows(
    untested(ref('belote_recomputed_points')),
    "(select * from " ~ hands ~ " where game = 'belote' and status = 'complete')",
    [
        'hand_id',
        'declarer',
        'contract',
        'trump',
        'trick_winners',
        'team_0_points',
        'team_1_points',
        'team_0_score',
        'team_1_score'
    ]
) }}

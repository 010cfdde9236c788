-- noqa: disable=AM04, the columns are those of the table
select * replace (person(player_name) as player_name, person(partner_name) as partner_name)
from {{ source('store', 'seats') }}

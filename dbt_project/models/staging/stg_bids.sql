select * from {{ source('store', 'bids') }}  -- noqa: AM04, its columns are those of the table

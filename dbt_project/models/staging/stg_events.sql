select * from {{ source('store', 'events') }}  -- noqa: AM04, its columns are those of the table

select * from {{ source('store', 'plays') }}  -- noqa: AM04, its columns are those of the table

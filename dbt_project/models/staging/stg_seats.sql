select * from {{ source('store', 'seats') }}  -- noqa: AM04, its columns are those of the table

select * from {{ source('store', 'tricks') }}  -- noqa: AM04, its columns are those of the table

select unnest(generate_series(date '2000-01-01', date '2049-12-31', interval 1 day))::date as day

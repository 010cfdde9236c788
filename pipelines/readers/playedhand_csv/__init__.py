"""Kaiser's `playedhand.csv`, as Postgres dumps it."""

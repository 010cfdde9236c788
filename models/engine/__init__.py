"""What every game runs on: what a game is, its opening and dealing, compiled code, the fold and the arena."""

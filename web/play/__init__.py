"""Tables at which people and computers play, whose hands are stored like any others.

* `dealing`, `table`: a table's events, folded by the game's `evolve`, and what a seat may do;
* `starts`: hands that don't begin with a shuffle;
* `seats`: who sits where, with which key;
* `views`: what a seat sees, by `Game.visible`, the score sheet, and the browsers that show them;
* `event_json`, `journal`: events, on disk before anybody is sent them, and read after a restart;
* `recording`: processes that ingest finished hands and bring them into the marts;
* `room`, `rooms`: the table with its clock, all tables;
* `background`, `thinking`: processes beside the server, and computers that think in one;
* `helping`: hints, claims and reviews;
* `socket`: the messages of browsers.
"""

"""Tables at which people and computers play, whose hands are stored like any others.

* `dealing`, `table`: a table's events, folded by the game's `evolve`, and what a seat may do;
* `starts`: hands that don't begin with a shuffle;
* `views`: what a seat sees, by `Game.visible`;
* `seats`: who sits where, with which key;
* `event_json`, `journal`: events, on disk before anybody is sent them, and read after a restart;
* `recording`, `building`: processes that ingest finished hands and bring them into the marts;
* `audience`, `room`, `rooms`: the browsers at a table, the table with its clock, all tables;
* `background`, `thinking`: processes beside the server, and computers that think in one;
* `helping`, `sheet`: hints, claims and reviews; the score sheet;
* `socket`: the messages of browsers.
"""

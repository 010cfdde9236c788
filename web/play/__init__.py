"""Tables at which people and computers play, whose hands are stored like any others.

* `dealing`, `table`: a table's events, folded by the game's `evolve`, and what a seat may do;
* `allowed`, `views`: what a seat may see;
* `seats`: who sits where, with which key;
* `lines`, `journal`: events on disk before anybody is sent them;
* `recording`: finished hands as cardlog-jsonl, ingested by a process of its own;
* `audience`, `room`, `rooms`: those who look at a table, the table with its clock, all tables;
* `background`, `thinking`: processes beside the server, and computers that think in one;
* `socket`: the messages of browsers.
"""

"""Tables at which people and computers play, whose hands are stored like any others.

* `dealing`, `table`: a table's events, folded by the game's `evolve`, and what a seat may do;
* `allowed`, `views`: what a seat may see;
* `seats`: who sits where, with which key;
* `lines`, `journal`: events on disk before anybody is sent them;
* `recording`: finished hands as cardlog-jsonl, ingested;
* `room`, `rooms`: a table with those who are connected, and all of them;
* `socket`, `pinochle`: the messages of browsers, and of the original Pinochle clients.
"""

"""A web page served on this machine: hands, charts and queries of a store, and tables to play at.

`serve` runs the server; `app` has its addresses; `access` decides whom it answers.
"""

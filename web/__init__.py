"""A page on this machine: look at hands, tables and charts of a store in a browser.

`serve` runs the server; `app` has its addresses; `access` decides whom it answers.
"""

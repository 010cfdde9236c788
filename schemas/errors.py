"""The base of all errors whose text is for the user. Each kind is defined beside the code that raises it."""


class CardlogError(Exception):
    """A request can't be carried out; the text says why and, if there is a remedy, which."""

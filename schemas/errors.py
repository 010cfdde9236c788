"""The base of errors whose text is for the user. Each subclass is defined beside the code that raises it."""


class CardlogError(Exception):
    """A request can't be carried out; the text says why and, if possible, what to do about it."""

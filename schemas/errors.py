"""The one family of errors whose text is for the user. Each kind stands beside the code that raises it."""


class CardlogError(Exception):
    """What was asked can't be done; the text says why and, where there is a remedy, which."""

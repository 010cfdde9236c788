"""What a row is: Arrow schemas, the card codec, and the closed vocabularies.

Nothing here knows the rules of a game or touches a file.
"""

"""The phrases that the five-card draw program prints."""

from typing import Final

from cardlog.pipelines.readers.bytes import as_word

NOTHING: Final = as_word("")
DOT: Final = as_word(".")
CHIPS_DOT: Final = as_word(" chips.")
CARDS_DOT: Final = as_word(" cards.")

# [SETUP]
GIVEN: Final = as_word("All players have been given ")
ANTE_SET: Final = as_word("The ante has been set to ")

# [ANTE]
PAID: Final = as_word(" paid ")
FOR_ANTE: Final = as_word(" chips for the ante.")
FORCED: Final = as_word("The ante forced ")
ALL_IN_WITH: Final = as_word(" to go all-in with ")
CHIPS_BANG: Final = as_word(" chips!")

# [CARDS]
SHUFFLED: Final = as_word("The deck has been shuffled.")
DEALT: Final = as_word("Hands have been dealt.")
NO_SWAP: Final = as_word(" didn't swap any cards.")
SWAPPED: Final = as_word(" swapped ")
NEW_HAND: Final = as_word("Your new hand is ")
COLLECTED: Final = as_word("Cards have been collected.")

# [INFO]
YOUR_CARDS: Final = as_word("Your cards are ")
THERE_ARE: Final = as_word("There are ")
IN_POT: Final = as_word(" chips in the pot.")
YOU_HAVE: Final = as_word("You have ")
REMAINING: Final = as_word(" chips remaining.")
TO_CALL: Final = as_word("The amount to call is ")

# [ACTION]
CHECKED: Final = as_word(" has checked.")
FOLDED: Final = as_word(" has folded.")
CALLED: Final = as_word(" has called.")
CALLED_ALL_IN: Final = as_word(" has gone all-in to call!")
SHORT_ALL_IN: Final = as_word(" couldn't call but has gone all-in.")
RAISED: Final = as_word(" has raised by ")
AND_ALL_IN: Final = as_word(" and gone all-in!")

# [SHOWDOWN] and [REWARDS]
HOLDING: Final = as_word(" is holding ")
MUCKED: Final = as_word(" mucked.")
WON: Final = as_word(" won ")
GOT: Final = as_word(" got ")
BACK: Final = as_word(" chips back.")

# [STANDINGS], [PLAYER] and [END]
HAS_GOT: Final = as_word(" has got ")
LEAVING: Final = as_word(" is leaving the table.")
HAS_WON: Final = as_word(" has won!")
GAME_OVER: Final = as_word("Game over ")
BETTER_LUCK: Final = as_word(", better luck next time.")
THANKS: Final = as_word("Thanks for playing!")

NEW_ROUND: Final = as_word("[NEW ROUND]")
TRACEBACK: Final = as_word("Traceback (most recent call last):")
TRACEBACK_GOES_ON: Final = as_word("  File ")

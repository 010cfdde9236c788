"""The engine of the readers of transcripts, the output of programs on a terminal.

A format is a table of lines, each a pattern with named groups and the handler of such lines, in 100 to 400
lines of code. `ruter_sju_transcript` is one to start from::

    LINES = LineTable()

    class _Hand(Hand):                               # a hand, and the parser of its lines
        @LINES.line(rb"(?P<name>.*) plays (?P<card>..)", card=parse_card)
        def plays(self, name: bytes, card: int | None) -> bool:
            if name not in self.seats:
                return False                         # not such a line after all: the next pattern is tried
            if card is None:
                raise Fault(Reason.UNKNOWN_CARD, "names a card that is not in the pack")
            self.add(Action.PLAY_CARD, self.seats[name], bytes([card]))
            return True

    @transcript(GAME, FORMAT)
    def read(text: Text) -> Iterator[Hand]:          # the module's `read`: see `Reader`
        for part in text.sections:                   # the games of a text, by its marks
            yield …                                  # each hand, whole or at fault

* `LineTable.handle(parser, line)` calls the handler of a line with its groups. Lines repeat a lot, so the
  meaning of a line (its kind and the converted groups) is cached; patterns need not be quick.
  Where the kind of a line is more than its pattern tells, as it depends on the lines around it, the table has
  kinds (`add`) and their handlers (`on`), as in `belot_transcript`.
* Handlers note what the log says, and raise a `Fault` for what is impossible in it. Whether the rules allow
  it is judged later, by the fold; where the meaning of a line depends on the play so far, a parser keeps the
  little of it that it needs. Nothing here is compiled.
* A `Hand` has its lines (indices of `Text.lines`), its `Event`s, of which the first one opens it, and a
  `context`: what is needed besides its text to read it by itself, which comes back as `Section.context`. A
  hand with a `fault` goes to quarantine.
* `transcript` makes columns of all events, names the matches and hands, and ignores a last line that may be
  torn.
"""

from cardlog.pipelines.readers.transcript.hands import Event, Hand, Match, read_of_hands, transcript
from cardlog.pipelines.readers.transcript.text import (
    SPLIT_AT,
    Fault,
    Line,
    LineTable,
    Section,
    Text,
    as_text,
    is_mark,
    require,
)

__all__ = [
    "SPLIT_AT", "Event", "Fault", "Hand", "Line", "LineTable", "Match", "Section", "Text", "as_text",
    "is_mark", "read_of_hands", "require", "transcript",
]  # fmt: skip

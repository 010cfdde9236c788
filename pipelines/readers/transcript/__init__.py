"""The engine of the readers of transcripts: what a program prints on a terminal, line by line.

A format is a table of lines, each a pattern with named groups and the handler of such lines, in 100 to 400
lines of code. `ruter_sju_transcript` is one to start from::

    LINES = LineTable()

    class _Hand:                                     # the parser of one hand; it keeps the events so far
        @LINES.line(rb"(?P<name>.*) plays (?P<card>..)", card=parse_card)
        def plays(self, name: bytes, card: int | None) -> bool:
            if name not in self.seats:
                return False                         # not such a line after all: the next pattern is tried
            if card is None:
                raise Fault(Reason.UNKNOWN_CARD, "names a card that is not in the pack")
            self.events.append(Event(rules.PLAY_CARD, self.seats[name], self.index, bytes([card])))
            return True

    def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
        return read_whole_lines(_read, text, source, first_line)

    def _read(text: bytes, source: Source, first_line: int) -> Read:
        lines = Text(text, first_line)
        for part in sections(text, source, first_line):      # the games of a text, by its marks
            hands += …                                       # a `Hand` for each hand, whole or at fault
        return read_of_hands(rules.GAME, FORMAT, source, lines, hands, [part.match_id for part in parts])

* `LineTable.handle(parser, line)` calls the handler of a line with its groups. Lines repeat a lot, so what a
  line says (its kind, the name, the converted groups) is found once and kept; patterns need not be quick.
* Handlers say what the log says, and what is impossible in it (`Fault`). Whether the rules allow it is judged
  later, by the fold; where the meaning of a line depends on the play so far, a parser keeps the little
  of it that it needs. Nothing here is compiled.
* A `Hand` has its lines (indices of `Text.lines`), its `Event`s, the opening's detail, and a `context`: what
  is needed besides its text to read it by itself, which `sections` hands back as `Section.context`. One with
  a `fault` goes to quarantine.
* `read_of_hands` makes columns of all events, and names the matches and hands.
* `read_whole_lines` leaves out a last line that may be torn off.
"""

from cardlog.pipelines.readers.transcript.hands import Event, Hand, read_of_hands
from cardlog.pipelines.readers.transcript.lines import Fault, Line, LineTable, Text, require
from cardlog.pipelines.readers.transcript.sections import SPLIT_AT, Section, is_mark, sections
from cardlog.pipelines.readers.transcript.torn import read_whole_lines

__all__ = [
    "SPLIT_AT", "Event", "Fault", "Hand", "Line", "LineTable", "Section", "Text", "is_mark", "read_of_hands",
    "read_whole_lines", "require", "sections",
]  # fmt: skip

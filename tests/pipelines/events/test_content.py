"""The digest of a hand's content, which names matches that have no name: it never changes."""

from cardlog.pipelines.ingest.sources import examine, plan, texts
from cardlog.pipelines.readers.belot_transcript import reader
from tests.support.stores import FIXTURES


def test_the_digests_of_hands_are_those_of_the_first_release() -> None:
    [item] = plan([examine(str(FIXTURES.parent / "belote" / "transcripts_sample.txt"), None, None, False)])
    [(block, *_)] = texts(item)
    [read] = reader.read(block.text, item.file.source)
    assert read.batch.content()[:2].tolist() == [6137026953694564967, 17200332914980674119]

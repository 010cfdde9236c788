"""What a run says of itself: with --json, with --log-json, and by its exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal import cli
from tests.support.commands import Cardlog
from tests.support.csv_rows import EDGE, SAMPLE, dump, dump_lines
from tests.support.shared import small_store

pytestmark = pytest.mark.long


def logged(err: str) -> dict[str, Any]:
    """The line of the log, which is all that is on standard error."""
    [line] = err.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def test_a_run_ends_with_one_line_of_log(cardlog: Cardlog) -> None:
    code, out, err = cardlog("ingest", SAMPLE, EDGE, "--json", "--log-json")
    line, said = logged(err), json.loads(out)
    assert (code, line["command"], line["exit"], line["error"]) == (0, "ingest", 0, None)
    assert said["bytes_read"] == SAMPLE.stat().st_size + EDGE.stat().st_size
    assert line["result"]["hands_read"] == said["hands_read"] == 380
    assert line["versions"]["events"] == Store("store").table("events").version() == 1
    assert line["cpu_seconds"] > 0
    assert line["store_bytes"] > 0
    assert line["memory_bytes"] > 2**20
    line = logged(cardlog("--log-json", "build", "--no-marts")[2])
    assert line["result"]["rows"]["playedhand"] == 324


def test_the_environment_asks_for_the_log_too(cardlog: Cardlog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDLOG_LOG_JSON", "1")
    _, out, err = cardlog("query", "select 7 as n", "--output", "csv", "--store", small_store().root)
    assert out == "n\n7\n"
    assert logged(err)["command"] == "query"


def test_an_error_is_in_the_log(cardlog: Cardlog) -> None:
    for words, said in (
        (["query", "select 1", "--store", "nowhere"], "there is no store at "),
        (["query", "drop table events", "--store", small_store().root], "only queries are allowed"),
        (["ingest", "a\x1b]0;x\x07\nb"], "a\x1b]0;x\x07\nb: there is no such file"),
    ):
        code, _, err = cardlog(*words, "--log-json")
        line = logged(err)
        assert code == line["exit"] == 2
        assert line["error"].startswith(said)
        assert not {"\x1b", "\x07"} & set(err)


def test_a_bug_is_in_the_log(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("cardlog.pipelines.upkeep.status.status", fail)
    with pytest.raises(ZeroDivisionError):
        cli.main(["status", "--log-json", "--store", small_store().root])
    line = logged(capsys.readouterr().err)
    assert (line["exit"], line["error"]) == (1, "ZeroDivisionError('a bug')")


@pytest.mark.parametrize(("share", "code"), [("0.69", 0), ("0.684", 1), ("0", 1), ("1", 0), (None, 1)])
def test_an_ingest_fails_above_a_share_of_quarantined_hands(
    share: str | None, code: int, cardlog: Cardlog
) -> None:
    """Or at any, if it is strict. Of the 80 rows 56 are in quarantine, four of them incomplete, which don't
    count: 52 of 76. Those that are legal are stored all the same."""
    ran = cardlog("ingest", EDGE, *(["--max-quarantined", share] if share else ["--strict"]))
    assert (ran.code, "24 stored" in ran.err) == (code, True)
    said = "68.42% of the new hands were quarantined, more than"
    assert (said in ran.err) == bool(code and share)
    assert Store("store").rows("quarantine") == 56
    assert [cardlog("quarantine", "retry", *strict).code for strict in ([], ["--strict"])] == [0, 1]


def test_the_share_is_of_new_hands(cardlog: Cardlog) -> None:
    """Rows that were stored before don't dilute it, and what is known to be bad does not ring again, nor
    does the end of a log that still grows."""

    def codes_of(*texts: bytes) -> list[int]:
        found = []
        for text in texts:
            Path("log.csv").write_bytes(text)
            found.append(cardlog("ingest", "log.csv", "--max-quarantined", "0.01")[0])
        return found

    good, bad = dump(*dump_lines()[:200]), EDGE.read_bytes().split(b"\n", 1)[1]
    more, torn = dump_lines()[200] + b"\n", dump_lines()[201][:-30]
    assert codes_of(good, good + bad, good + bad + more, good + bad + more + torn) == [0, 1, 0, 0]
    assert Store("store").rows("quarantine") == 3 * 56 + 1

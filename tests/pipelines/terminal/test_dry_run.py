"""A dry run says what an ingest would do, and leaves the store alone."""

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import cardlog as api
from cardlog import models
from tests.support.commands import Cardlog
from tests.support.csv_rows import dump, dump_lines
from tests.support.files import files_of
from tests.support.stores import FIXTURES

COUNTS = ("lines_read", "other_lines", "hands_read", "hands_stored", "duplicates", "quarantined")


def test_a_dry_run_says_what_the_ingest_does(tmp_path: Path) -> None:
    """With a store that is not there, and with one that has some of the hands."""
    root, log, known = tmp_path / "store", FIXTURES / "playedhand_edge.csv", tmp_path / "known.csv"
    store = api.open(root)
    assert store.ingest(log, dry_run=True).hands_stored == 24
    assert not root.exists()
    known.write_bytes(dump(*dump_lines()[:40]))
    store.ingest(known)
    known.write_bytes(dump(*dump_lines()[:60]))
    before = files_of(root)
    tried = store.ingest([log, known], dry_run=True)
    assert files_of(root) == before
    done = store.ingest([log, known])
    assert [getattr(tried, name) for name in COUNTS] == [getattr(done, name) for name in COUNTS]
    assert (tried.duplicates, done.rejects) == (40, [])
    columns = ("quarantine_id", "reason", "message", "first_line")
    kept = store.sql(f"select {', '.join(columns)} from quarantine order by first_line").arrow().to_pylist()
    assert [{name: entry[name] for name in columns} for entry in tried.rejects] == kept


def test_what_the_command_says(cardlog: Cardlog, tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "playedhand_edge.csv", tmp_path / "a.csv")
    options = ["ingest", "--dry-run", "--store", "store", "a.csv"]
    report = cardlog(*options)
    assert (report.code, "cardlog build" in report.err) == (0, False)
    for said in ("24 stored", "a.csv, line 6: must_follow: Event 11", "… and 36 more; --json has all"):
        assert said in report.err
    strict = cardlog(*options, "--strict", "--json")
    assert (strict.code, len(json.loads(strict.out)["rejects"])) == (1, 56)
    assert not Path("store").exists()


def test_a_store_elsewhere_is_refused() -> None:
    with pytest.raises(api.CardlogError, match="a dry run needs a store on this machine"):
        api.open("s3://bucket/store").ingest(FIXTURES / "playedhand_edge.csv", dry_run=True)


EXAMPLES = FIXTURES.parents[2] / "docs" / "formats" / "examples"
PAGE = (EXAMPLES.parent / "cardlog-jsonl.md").read_text(encoding="utf-8")


def schema_of(cardlog: Cardlog) -> Draft202012Validator:
    return Draft202012Validator(json.loads(cardlog("validate", "--schema").out))


def test_each_game_has_an_example_that_is_right_and_follows_the_schema(cardlog: Cardlog) -> None:
    examples = {path.stem: path for path in EXAMPLES.iterdir()}
    assert examples.keys() == models.GAMES.keys()
    assert cardlog("validate", *map(str, examples.values())).err == "Checked 6 hands: 6 right, 0 wrong."
    schema = schema_of(cardlog)
    for path in examples.values():
        for line in path.read_text(encoding="utf-8").splitlines():
            schema.validate(json.loads(line))


@pytest.mark.parametrize("game", models.GAMES)
def test_the_page_has_the_settings_of_each_game_and_the_events_of_its_example(game: str) -> None:
    first, second = re.findall(rf"^\| {re.escape(models.game(game).title)} \|.*$", PAGE, re.MULTILINE)
    opening, *rest = map(json.loads, (EXAMPLES / f"{game}.jsonl").read_text(encoding="utf-8").splitlines())
    with pytest.raises(ValueError, match="unknown setting") as refusal:
        models.game(game).begin(opening["detail"] | {"settings": {"": 1}})
    for name in str(refusal.value).partition("there are: ")[2].split(", "):
        assert f"`{name}`" in first
    for event in [opening, *rest]:
        assert f"`{event['kind']}/{event['action']}`" in second


WRONG = (
    ({"kind": "bid", "action": "card"}, "unparsable"), ({"cards": "8S8"}, "unknown_card"),
    ({"rating": 1}, "unparsable"), ({"seq": -1}, "unparsable"),
    ({"action": "open", "kind": "deal", "detail": {"players": [{"rating": 1}]}}, "unparsable"),
)  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_validate_and_the_schema_refuse_a_wrong_line(
    cardlog: Cardlog, change: dict[str, Any], reason: str
) -> None:
    lines = (EXAMPLES / "kaiser.jsonl").read_text(encoding="utf-8").splitlines()
    index = next(at for at, line in enumerate(lines) if '"play"' in line)
    lines[index] = json.dumps(json.loads(lines[index]) | change)
    Path("log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = cardlog("validate", "log.jsonl", "--json")
    assert (found.code, [entry["reason"] for entry in json.loads(found.out)["rejects"]]) == (1, [reason])
    assert f"log.jsonl, lines 1-{len(lines)}: {reason}: " in cardlog("validate", "log.jsonl").out
    assert not schema_of(cardlog).is_valid(json.loads(lines[index]))
    assert cardlog("validate").code == 2


def test_validate_names_what_cannot_be_read_and_checks_the_rest(cardlog: Cardlog, tmp_path: Path) -> None:
    good = (EXAMPLES / "kaiser.jsonl").read_bytes()
    texts = {
        "a.gz": gzip.compress(good)[:-20], "b.jsonl": good, "b.jsonl.1": gzip.compress(good)[:-9],
        "c.jsonl": good.decode().encode("utf-16-le"), "d.jsonl": b"", "e.csv": b"added_date,id\n1,2\n",
    }  # fmt: skip
    for name, text in texts.items():
        Path(name).write_bytes(text)
    Path("g.jsonl").write_bytes(good)
    Path("g.jsonl.1").write_bytes(texts["b.jsonl.1"])
    found = cardlog("validate", "--json", *texts, "f.jsonl", "g.jsonl", "--ignore-columns", "rating")
    counts = json.loads(found.out)
    assert (found.code, counts["hands_read"], counts["rejects"]) == (1, 1, [])
    says = {entry["path"]: entry["reason"] for entry in counts["skipped"]}
    assert says.keys() == {*texts, "f.jsonl", "g.jsonl"} - {"b.jsonl"}
    reasons = (
        r"can't be read: |it is not UTF-8|there is n|it is of no|the older file g.jsonl.1 of this log can't"
    )
    assert all(re.match(reasons, said) for said in says.values())
    ran = cardlog("ingest", "g.jsonl", "--store", "s")
    assert ran.code == 2
    assert "g.jsonl: the older file g.jsonl.1 of this log can't be read: " in ran.err
    assert "a.gz: skipped: can't be read: " in cardlog("validate", "a.gz", "d.jsonl").out

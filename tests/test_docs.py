"""The documentation says what is there, all of it and nothing else; its examples are run."""

import contextlib
import io
import re
import shlex
import sys
import tarfile
from collections.abc import Iterator
from importlib import import_module
from math import comb
from pathlib import Path
from typing import Any

import pytest
import typer

from cardlog import models
from cardlog.models.contest.ladder import published
from cardlog.models.poker.ranks import PACK
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.sql import hand_lookup, query
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.store import SCHEMAS
from cardlog.pipelines.terminal import app
from cardlog.schemas import cards
from cardlog.schemas import docs as table_docs
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason
from tests.support.commands import exit_code
from tests.support.decision_rows import decision_rows
from tests.support.exports import export
from tests.support.files import beside_checkout
from tests.support.shared import demo, small_store

REPO = Path(__file__).parents[1]
DOCS = REPO / "docs"
ROOT_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
PAGES = sorted([*DOCS.rglob("*.md"), *(REPO / name for name in ROOT_PAGES)])
PATH = re.compile(r"`((?:docs|models|pipelines|schemas|tests|dbt_project|benchmarks)/[\w./-]+)`")
TARGETS = set(re.findall(r"^([a-z]+):", (REPO / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def tables_of(text: str) -> Iterator[list[list[str]]]:
    """The tables of a page in Markdown: rows of cells, without the line under the header."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        yield [rows[0], *rows[2:]]


# ---------------------------------------------------------------- links


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPO)))
def test_links_files_and_options_that_a_page_names_are_there_and_nothing_is_left_to_do(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"\b(TODO|TBD|FIXME)\b", text)
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE)) <= TARGETS
    for path in PATH.findall(text):
        if "whist" not in path:  # CONTRIBUTING.md's example of a game to come
            assert (REPO / path).exists(), f"{page.name} names {path}"
    for path, anchor in re.findall(r"\]\(([^)#]+)?(#[^)]*)?\)", text):
        if "://" in path:
            continue
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name} links to {path}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor[1:] in [heading.lower().replace(" ", "-") for heading in headings]
    typed = r"(?:^|`|\$ |  )(cardlog [a-z-]+(?<!quarantine)|cardlog quarantine [a-z]+)((?: [^`\n|#]*)?)"
    for name, rest in re.findall(typed, text, re.MULTILINE):
        if name in COMMANDS:
            used = set(re.findall(r" (--[a-z][a-z-]*)", rest.split(" -- ")[0]))
            assert used <= options_of(name) | {"--log-json"}, f"{page.name} has {name}{rest}"


def test_the_index_lists_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = [page for page in DOCS.rglob("*.md") if page.name != "README.md"]
    assert [page.name for page in pages if f"]({page.relative_to(DOCS)})" not in index] == []


# ---------------------------------------------------------------- docs/tables.md


def test_tables_page_is_made_from_the_schemas_and_has_every_table_column_and_reason() -> None:
    page = table_docs.PAGE.read_text(encoding="utf-8")
    assert page == table_docs.page(), "run: python -m cardlog.schemas.docs"
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert list(sections) == [*SCHEMAS, "Actions", "Reasons"]
    expected = {name: schema.names for name, schema in SCHEMAS.items()}
    expected["Reasons"] = [reason.code for reason in Reason if reason]
    for name, words in expected.items():
        [[_, *rows]] = tables_of(sections[name])
        assert [row[0] for row in rows] == [f"`{word}`" for word in words]


# ---------------------------------------------------------------- docs/cli.md

CLI = (DOCS / "cli.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (cardlog[ \w-]*)\n(.*?)(?=^## |\Z)", CLI, re.MULTILINE | re.DOTALL))


def commands_of(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """A command and those below it, each with what one types to call it."""
    below = getattr(command, "commands", {})
    if not below or name == "cardlog":
        yield name, command
    for word, inner in below.items():
        yield from commands_of(inner, f"{name} {word}")


COMMANDS = dict(commands_of(typer.main.get_command(app.app), "cardlog"))


def options_of(name: str) -> set[str]:
    """The options of a command."""
    options = {option for p in COMMANDS[name].params for option in (*p.opts, *p.secondary_opts)}
    return {option for option in options if option.startswith("--")} - {"--help"}


def test_every_command_has_a_section_and_the_other_way_round() -> None:
    assert set(SECTIONS) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_and_option_is_described_and_no_other(name: str) -> None:
    if name != "cardlog":
        arguments = [p.metavar for p in COMMANDS[name].params if p.param_type_name == "argument"]
        assert f"`{' '.join([name, '[OPTIONS]', *arguments])}`" in SECTIONS[name]
    if name not in ("cardlog", "cardlog demo", "cardlog serve"):
        assert re.search(rf"^```console\n\$ {name}( |$)", SECTIONS[name], re.MULTILINE), "it has an example"
    described = set()
    for _, *rows in tables_of(SECTIONS[name]):
        for first, meaning in rows:
            described |= set(re.findall(r"`(--[\w-]+)`", first))
            assert meaning
    assert described == options_of(name)


def test_defaults_are_the_ones_described() -> None:
    for name, option, text in (
        ("ingest", "--store", "`./store`"),
        ("quarantine list", "--limit", "20"),
        ("export", "--splits", "80,10,10"),
        ("export", "--seed", "0"),
        ("simulate", "--seed", "0"),
        ("vacuum", "--older-than", "24"),
    ):
        [parameter] = [p for p in COMMANDS[f"cardlog {name}"].params if option in p.opts]
        [row] = [r for t in tables_of(SECTIONS[f"cardlog {name}"]) for r in t if option in r[0]]
        assert f"by default {text}" in row[1]
        assert str(parameter.default).removesuffix(".0") == text.strip("`")


def test_environment_variables_are_those_that_are_read() -> None:
    sources = [path for name in ("models", "pipelines") for path in (REPO / name).rglob("*.py")]
    sources += (REPO / "dbt_project").glob("*.yml")
    read = {name for path in sources for name in re.findall(r"CARDLOG_\w+", path.read_text(encoding="utf-8"))}
    # What cardlog tells dbt of its files; nobody else sets them.
    own = "DBT_ACCESS", "DBT_PACKAGES", "DBT_SPILL"
    assert set(re.findall(r"`(CARDLOG_\w+)`", CLI)) == read - {f"CARDLOG_{name}" for name in own}


def cardlog(line: str) -> str:
    """What a command line prints to stdout and stderr, as a terminal would show it."""
    program, *arguments = shlex.split(line)
    assert program == "cardlog"
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = exit_code(*arguments)
    assert code == 0, out.getvalue()
    return out.getvalue()


def matches(expected: str, got: str) -> bool:
    """Whether two texts are the same but for blanks at the end of lines; … stands for anything."""
    lines = [line.rstrip() for line in expected.splitlines()], [line.rstrip() for line in got.splitlines()]
    return len(lines[0]) == len(lines[1]) and all(
        a == b or re.fullmatch(re.escape(a).replace("…", ".*"), b) for a, b in zip(*lines, strict=True)
    )


@pytest.mark.long
def test_examples_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CARDLOG_STORE", raising=False)
    (tmp_path / "tests").symlink_to(REPO / "tests")
    examples = re.findall(r"^```console\n\$ ([^\n]*)\n(.*?)^```", CLI, re.MULTILINE | re.DOTALL)
    assert len(examples) >= len(COMMANDS) - 2
    for line, shown in examples:
        typed = "".join(re.findall(r"^(?:cardlog| {4}\.\.\.)> (.*\n)", shown, re.MULTILINE))
        expected = re.sub(r"^(?:cardlog| {4}\.\.\.)> .*\n", "", shown, flags=re.MULTILINE)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
        got = cardlog(line)
        assert matches(expected, got), f"{line}\n{got}"


# ---------------------------------------------------------------- docs/questions.md

QUESTIONS, OF_HOLD_EM = (DOCS / "questions.md").read_text(encoding="utf-8").split("\n## Pluribus\n")
PLURIBUS = beside_checkout("fixtures/hold_em/phh_real.tar.gz")


def check_answers(page: str, store: str) -> int:
    """How many questions a page has; the queries have the answers that it gives."""
    asked = re.findall(r"^```sql\n(.*?)^```\n\n```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(asked) == page.count("```sql")
    for sql, expected in asked:
        got = cardlog(shlex.join(["cardlog", "query", sql, "--store", store]))
        assert matches(expected, got), f"{sql}\n{got}"
    return len(asked)


@pytest.mark.long
def test_questions_have_the_answers_that_the_page_gives() -> None:
    assert check_answers(QUESTIONS, demo().store.root) >= 25


@pytest.mark.long
@pytest.mark.skipif(not PLURIBUS.exists(), reason="these hands are not ours to distribute")
def test_questions_of_hold_em_have_the_answers_that_the_page_gives(tmp_path: Path) -> None:
    with tarfile.open(PLURIBUS) as files:
        files.extractall(tmp_path, filter="data")
    store = str(tmp_path / "store")
    cardlog(shlex.join(["cardlog", "ingest", str(tmp_path / "pluribus"), "--store", store]))
    cardlog(shlex.join(["cardlog", "build", "--store", store]))
    assert check_answers(OF_HOLD_EM, store) == 10


# ---------------------------------------------------------------- docs/features

KAISER = (DOCS / "features" / "kaiser.md").read_text(encoding="utf-8")


def span(cell: str) -> list[int]:
    """The numbers that a cell names: ``5`` or ``0-31``."""
    first, _, last = cell.strip("`").partition("-")
    return list(range(int(first), int(last or first) + 1))


def rows_under(heading: str, page: str) -> list[list[str]]:
    section = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    [[_, *rows], *_] = tables_of(section)
    return rows


@pytest.mark.parametrize("game", models.GAMES)
def test_the_observation_cards_and_actions_are_described_place_by_place(game: str) -> None:
    """The order of the pack, the values of a card, and an action for each place of a mask."""
    page = (DOCS / "features" / f"{game}.md").read_text(encoding="utf-8")
    rows, decisions = rows_under("Observation", page), models.game(game).decisions
    assert [place for row in rows for place in span(row[0])] == list(range(decisions.width))
    assert f"{decisions.width} small integers" in page
    view = import_module(f"cardlog.models.{game}.decisions")
    named = {row[1].strip("`"): span(row[0])[0] for row in rows if row[1]}
    assert named == {name: value for name, value in vars(view).items() if name.endswith("_AT")}
    for first, name in re.findall(r"^\| (-?\d+)[-\d]* +\| `([A-Z_]+)` +\|", page, re.MULTILINE):
        shift = name in ("HELD", "SHOWN")  # by how many seats after the acting one, which is not 0
        assert getattr(view, name) + shift == int(first), name
    if game == "ruter_sju":  # whose actions are of one kind, and cards of decks of any size
        return
    found = dict[str, list[int]]()
    for kind, places, _ in rows_under("Actions", page):
        found.setdefault(kind.strip("`"), []).extend(span(places))
    assert set(found) == set(decisions.kinds)
    assert all(places == list(range(len(places))) for places in found.values())
    assert max(map(len, found.values())) == decisions.most_actions
    pack = " ".join(re.findall(r"^ {4}(\w\w(?: \w\w)+)$", page, re.MULTILINE)).split()
    codes = vars(view).get("_DECK_CODES", vars(view).get("DECK_CODES", PACK))
    assert [cards.code(card) for card in pack] == list(codes)


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The page's program, on a real row, says the hand that was dealt less what was played."""
    [program] = re.findall(r"^```python\n(.*?)^```", KAISER, re.MULTILINE | re.DOTALL)
    stored = EventsFile(small_store(), small_store().paths("events")[0]).batch(0)
    row = [row for row in decision_rows(stored) if row["kind"] == "play"][5]
    exec(compile(program, "docs/features/kaiser.md", "exec"), {"row": row})
    said = capsys.readouterr().out.split("\n")
    batch = hand_lookup.find(small_store(), row["hand_id"])
    events = batch.events
    played = [cards.text(int(c)) for c in events["cards"][events["action"] == Action.PLAY_CARD, 0]]
    dealt = {int(e["seat"]): cards.texts(e["cards"][:8]) for e in events if e["action"] == Action.DEAL_HAND}
    hand = {dealt[row["seat"]][i : i + 2] for i in range(0, 16, 2)}
    assert set(said[0].split()[1:]) == hand - set(played[:5])
    assert said[2].split()[-1] == played[5]
    assert played[5] in said[1].split()


# ---------------------------------------------------------------- docs/tools.md

TOOLS = (DOCS / "tools.md").read_text(encoding="utf-8")


def run_section(name: str, **names: Any) -> dict[str, Any]:
    section = TOOLS.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]
    for program in re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
        exec(compile(program, "docs/tools.md", "exec"), names)
    return names


def test_pandas_duckdb_and_polars_read_the_store_as_the_page_says() -> None:
    store = small_store()
    assert len(run_section("pandas", store=store.root)["frame"]) == 324
    found, asked = run_section("DuckDB", store=store.root), query.connect(store)
    points = dict(asked.execute("select winner_team, sum(points) from tricks group by all").fetchall())
    assert dict(found["points"].fetchall()) == points
    made = "select trump, avg(made::int) from hands group by all"
    assert found["opened"] == [(324,)]
    assert sorted(found["made"], key=str) == sorted(asked.execute(made).fetchall(), key=str)
    pytest.importorskip("polars")
    assert dict(run_section("Polars", store=store.root)["tricks"].iter_rows()) == points


# ---------------------------------------------------------------- docs/players.md


@pytest.mark.parametrize("game", models.GAMES)
def test_players_has_the_published_ladder_of_all_players_and_its_command(game: str) -> None:
    found = published(game)
    assert found is not None
    text = (DOCS / "players.md").read_text(encoding="utf-8")
    command, table = text.split(f"`cardlog ladder --game {game} ")[1].split("`\n\n", 1)
    assert table.startswith(found.markdown() + "\n")
    asked = dict(zip(command.split()[::2], command.split()[1::2], strict=True))
    names = [each.player for each in found.standings]
    assert {*models.game(game).playing().names} - {"cfr"} <= {*names}
    assert sorted(asked["--players"].split(",")) == sorted(names)
    assert [pair.result.deals for pair in found.pairs] == [int(asked["--deals"])] * comb(len(names), 2)


# ---------------------------------------------------------------- docs/training.md


@pytest.mark.long
def test_training_data_is_opened_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="make extras installs it")
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    text = (DOCS / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    with_datasets, with_torch, with_stream, with_numpy, with_minari, with_next, own, *on_their_own = blocks
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "episodes"))
    whats_next = "next_observation,next_action_mask,done"
    export(small_store(), "kaiser", "parquet", Path("training-data"), columns=whats_next)
    export(small_store(), "kaiser", "npy", Path("arrays"))
    few = Selection(where="hand_id < '1'")  # Minari takes its time
    export(small_store(), "kaiser", "minari", Path("episodes"), selection=few)
    names: dict[str, Any] = {}

    def run(program: str) -> None:
        exec(compile(program, "docs/training.md", "exec"), names)

    run(with_datasets)
    count = names["rows"].num_rows
    assert count > 5000
    run(with_torch.replace("num_workers=2", "num_workers=0"))
    assert names["rows"].rows == count
    run(with_stream)
    assert len(names["row"]["action_mask"]) == 32
    run(with_numpy)
    assert len(names["observations"]) == count
    run(with_minari)
    assert 0 < names["dataset"].total_steps <= count
    run(with_next)
    assert names["batch"]["next_observation"].shape == names["batch"]["observation"].shape
    assert (names["reward"] == 0).all() == (~names["batch"]["done"]).all()
    Path("short.py").write_text(own)
    assert export(small_store(), "kaiser", "npz", Path("short"), encoder="short:SHORT") > count
    for text in on_their_own:
        run(text)
    assert (tmp_path / "log.jsonl").read_bytes().count(b"\n") > 30_000
    assert names["found"].hands == 1000
    assert sum(names["table"].returns()) == 0


def test_the_page_of_states_has_every_field_and_who_sees_it() -> None:
    text = (DOCS / "features" / "states.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert sections.keys() == {game.title for game in models.GAMES.values()}
    for game in models.GAMES.values():
        [[_, *rows]] = tables_of(sections[game.title])
        there = {who.partition(",")[0]: re.findall(r"`(\w+)`", names) for who, names in rows}
        visible = game.visible
        groups = {"everyone": visible.public, "each seat": visible.own, "nobody": visible.secret}
        assert there == {who: [*names] for who, names in groups.items() if names}, game.name

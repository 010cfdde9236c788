"""`analysis` and `pars`: what every card was worth, built step by step or at once, each game by itself."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from cardlog.pipelines import operations, runs
from cardlog.pipelines.derive import derive
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.verify import verify
from cardlog.schemas.errors import CardlogError
from tests.support.csv_rows import dump, dump_lines
from tests.support.figures import report
from tests.support.stores import ask, ingest, ingest_text, one

FIXTURES = Path(__file__).parents[2] / "fixtures"
BELOTE = FIXTURES / "belote" / "examples" / "real_torch.txt.gz"
POKER = FIXTURES / "five_card_draw" / "games_sample.txt"
ROWS = dump_lines()[:60]

WHOLE = """
    select any_value(par) - sum(if(seat % 2 = 0, cost_open, -cost_open)) as expected, score, hand_id
    from pars
    join analysis using (hand_id)
    join (
        select hand_id, any_value(if(seat % 2 = 0, "return", -"return")) as score
        from decisions
        where status = 'complete'
        group by hand_id
    ) using (hand_id)
    group by hand_id, score
"""
"""Every whole hand with its return for team 0, and what that is by par and costs."""


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with hands of several games, all analysed."""
    folder = tmp_path_factory.mktemp("analysed")
    store = Store(str(folder / "store"))
    for game, hands in (("belote", 1), ("pinochle", 1), ("ruter_sju", 1)):
        simulate(game, hands, 1, str(folder / f"{game}.jsonl"))
    ingest(store, BELOTE, POKER, *folder.glob("*.jsonl"))
    ingest_text(store, folder, dump(*ROWS), "a.csv")
    runs.build(store)
    operations.analyse(store)
    return store


def test_a_hand_brings_its_par_less_what_its_cards_cost(analysed: Store) -> None:
    assert ask(analysed, f"select * from ({WHOLE}) where score is distinct from expected") == []
    games = {game for (game,) in ask(analysed, "select distinct game from pars")}
    assert games == {"kaiser", "belote", "pinochle"}
    assert one(analysed, "select count(*) from pars where game = 'kaiser'") == len(ROWS)


def test_in_ruter_sju_each_act_has_a_row_and_no_hand_a_par(analysed: Store) -> None:
    """Of the seat's own return: nobody can expect more than to be first, nor less than to be last."""
    rows = "from analysis where game = 'ruter_sju'"
    acts = one(analysed, "select count(*) from decisions where game = 'ruter_sju'")
    assert one(analysed, f"select count(*) {rows}") == acts
    assert one(analysed, f"select bool_and(exact and abs(value) <= 3 and cost_open >= 0) {rows}")
    assert one(analysed, f"select count(*) {rows} and cost_open > 0 and best_actions > 0") > 0
    last = 'select value, "return" from analysis join decisions using (hand_id, step)'
    last += " where decisions.game = 'ruter_sju' order by step desc limit 1"
    [(value, score)] = ask(analysed, last)
    assert value == score


@pytest.mark.long
def test_a_game_is_analysed_by_itself(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    ingest(store, BELOTE)
    ingest_text(store, tmp_path, dump(*ROWS[:5]), "a.csv")
    assert operations.analyse(store, "kaiser").rows["pars"] == 5
    assert operations.analyse(store).rows["pars"] > 5
    assert verify(store).problems == []


def test_games_without_a_solver_are_named(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    with pytest.raises(
        CardlogError, match="five_card_draw has no solver; these have: kaiser, belote, ruter_sju, pinochle"
    ):
        operations.analyse(store, "five_card_draw")


def test_costs_by_what_was_known_are_found_when_asked_for(tmp_path: Path) -> None:
    """Of all hands then, also of those that were analysed before; the rest of the rows stays."""
    store = Store(str(tmp_path / "store"))
    ingest_text(store, tmp_path, dump(*ROWS[:2]), "a.csv")
    rows = operations.analyse(store, "kaiser").rows
    before = ask(store, "select * exclude (cost_known) from analysis order by all")
    assert one(store, "select count(cost_known) from analysis") == 0
    assert operations.analyse(store, "kaiser", 1).rows == rows
    assert ask(store, "select * exclude (cost_known) from analysis order by all") == before
    assert one(store, "select count(*) from analysis where cost_known >= 0") == rows["analysis"]
    assert verify(store).problems == []


def test_an_analysis_says_how_far_it_is(
    analysed: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few hands at a time, which changes no row."""
    done: list[int] = []
    titles: list[str] = []

    def watch(title: str, _folder: str, _units: int) -> AbstractContextManager[None]:
        titles.append(title)
        return nullcontext()

    store = Store(str(tmp_path / "store"))
    ingest_text(store, tmp_path, dump(*ROWS[:10]), "a.csv")
    monkeypatch.setattr(derive, "PRICED_HANDS", 4)
    monkeypatch.setattr(derive.Tally, "add", lambda _tally, hands, _units: done.append(hands))
    operations.analyse(store, "kaiser", watch=watch)
    assert (titles, done) == (["analyse"], [4, 3, 3])
    rows = ask(store, "select * exclude (ingest_no) from analysis order by all")
    those = f"hand_id in {tuple({row[1] for row in rows})}"
    assert ask(analysed, f"select * exclude (ingest_no) from analysis where {those} order by all") == rows


@pytest.mark.soak
@pytest.mark.parametrize("game", ["kaiser", "belote", "pinochle"])
def test_every_whole_hand_of_the_logs_brings_its_par_less_what_its_cards_cost(
    game: str, tmp_path: Path
) -> None:
    """Estimates too: what a card led to that was played is what followed."""
    store = Store(str(tmp_path / "store"))
    logs = [path for pattern in LOGS for path in sorted((FIXTURES / game).glob(pattern))]
    ingest(store, *logs, final=True)
    runs.build(store)
    operations.analyse(store, game)
    assert ask(store, f"select * from ({WHOLE}) where score is distinct from expected") == []
    checked = one(store, f"select count(*) from ({WHOLE})")
    shown = "(select hand_id from analysis)"
    whole = f"select count(*) from playedhand where status = 'complete' and hand_id in {shown}"
    assert checked == one(store, whole) > 500
    cards, exact = ask(store, "select count(*), count_if(exact) from analysis")[0]
    report(f"identity of {game}: {checked:,} whole hands, {cards:,} cards, {exact:,} of them exact")


LOGS = ("playedhand*.csv*", "*_transcripts.txt.gz", "*_sample.txt", "edge/*.gz", "examples/*.gz")

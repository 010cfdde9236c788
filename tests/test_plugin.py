"""`cardlog.plugin` stays what it is: authors of packages rely on its names."""

from tests.support.plugin_names import LISTED, listed


def test_its_names_and_their_arguments_are_those_of_the_list() -> None:
    assert listed().splitlines() == LISTED.read_text("utf-8").splitlines()

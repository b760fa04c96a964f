"""Kernels that look right or fast and are not: each is caught by the rule it names, and its honest twins pass."""
import collections
import concurrent.futures

import pytest

from support import cheats, server as server_module

AT_ONCE = 2


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory, cache_dir):
    """Of every cheat and twin, from one server; printed as a table."""
    running = server_module.Server(tmp_path_factory.mktemp("cheats") / "data", cache_dir,
                                   "--spare-runners", "3", keeps_builds=True).start()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = list(pool.map(lambda cheat: running.run(cheat.request(), limit=600), cheats.ALL))
    running.stop()
    found = {cheat: cheats.Caught.of(job) for cheat, job in zip(cheats.ALL, jobs)}
    for cheat, caught in found.items():
        print(f"{cheat.name:45} -> {caught.rule or '-':18} -> {caught.verdict}")
    return found


@pytest.mark.parametrize("cheat", cheats.ALL, ids=lambda cheat: cheat.name)
def test_cheat_is_caught_and_twin_accepted(verdicts, cheat):
    caught = verdicts[cheat]
    assert caught.verdict == cheat.verdict, caught.reason
    if cheat.rule:
        assert caught.rule == cheat.rule, caught.reason


def test_every_class_of_the_catalogue_has_a_cheat_and_every_task_a_twin():
    classes = collections.Counter(cheat.kind for cheat in cheats.CHEATS)
    assert len(cheats.CHEATS) >= 60
    assert set(classes) >= {"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A9", "A10",
                            "B2", "B3", "B4", "B6", "B8", "B9", "C"}, classes
    assert {cheat.task for cheat in cheats.CHEATS} <= {twin.task for twin in cheats.TWINS}


def test_the_table_of_the_document_lists_every_cheat():
    document = (server_module.ROOT / "docs" / "judging.md").read_text()
    rows = cheats.table()
    missing = [row for row in rows if row not in document]
    assert not missing, "tools/cheat_table.py writes it anew:\n" + "\n".join(missing)

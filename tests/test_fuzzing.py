"""A sample of the fuzzing; all of it: `cd tests && python -m fuzzing --cases 100000`."""

import pytest
from fuzzing.run import CLI, TARGETS_AND_CLI, fuzz
from fuzzing.seeds import write_seeds
from fuzzing.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_the_seed_of_a_reader_is_read(name, tmp_path):
    write_seeds(tmp_path)
    TARGETS[name].read(tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("name", TARGETS_AND_CLI)
def test_damage_is_read_or_refused_with_a_sentence(name):
    found = fuzz(name, 15 if name == CLI else 60)
    assert found.failure is None, found.failure
    assert found.refused > 0

"""Tests of the toy, run by the sabotage runner's own tests."""

import pytest


def test_answer_is_forty_two(answer: int) -> None:
    """The promise."""
    assert answer == 42, "the answer is wrong"


def test_answer_is_right_before_the_test(right_answer: int) -> None:
    """Fails in its setup, if at all."""
    assert right_answer


@pytest.mark.parametrize("divisor", [2, 3])
def test_answer_can_be_divided(answer: int, divisor: int) -> None:
    """Two tests of one name."""
    assert answer % divisor == 0, "the answer is wrong"

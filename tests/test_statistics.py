"""The statistics against scipy, statsmodels and examples that others published."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from rageval.statistics import bootstrap, mcnemar
from rageval.statistics.detectable import in_words, least_lost
from rageval.statistics.differences import differences
from rageval.statistics.holm import holm
from rageval.statistics.noninferiority import can_be_shown, not_worse, tango
from rageval.statistics.randomisation import flips, randomisation
from rageval.statistics.wilson import wilson

Z = 1.959963984540054


def ranks(seed, n, most=7):
    """Differences of reciprocal ranks in a window of six; most questions stay as they are."""
    random = np.random.default_rng(seed)
    before, after = random.integers(1, most, (2, n))
    after = np.where(random.random(n) < 0.5, before, after)
    pairs = zip(before.tolist(), after.tolist(), strict=True)
    return [Fraction(1, late) - Fraction(1, early) for early, late in pairs]


def test_a_perfect_rate_ends_at_exactly_1_and_no_hit_begins_at_exactly_0():
    assert all(wilson(1.0, n)[1] == 1.0 and wilson(0.0, n)[0] == 0.0 for n in range(1, 2000))


@pytest.mark.parametrize(
    ("found", "n", "low", "high"),
    [  # Newcombe 1998, Statistics in Medicine 17:857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval_gives_newcombes_published_table(found, n, low, high):
    assert wilson(found / n, n) == pytest.approx((low, high), abs=5e-5)


def test_wilsons_interval_equals_statsmodels_for_every_count_and_level():
    for n in (1, 5, 34):
        for found in range(n + 1):
            for level in (0.9, 0.95):
                theirs = proportion_confint(found, n, 1 - level, method="wilson")
                assert wilson(found / n, n, level) == pytest.approx(theirs, abs=1e-12)


def test_mcnemars_test_equals_scipy_and_statsmodels_for_every_pair_of_counts():
    for lost in range(14):
        for gained in range(14):
            if lost + gained == 0:
                continue
            n = lost + gained
            one = stats.binomtest(lost, n, alternative="greater").pvalue
            two = stats.binomtest(lost, n).pvalue
            assert mcnemar.worse(lost, gained) == pytest.approx(one, rel=1e-12)
            assert mcnemar.either(lost, gained) == pytest.approx(two, rel=1e-12)
            theirs = statsmodels_mcnemar([[0, lost], [gained, 0]], exact=True).pvalue
            assert mcnemar.either(lost, gained) == pytest.approx(theirs, rel=1e-12)


def test_mcnemars_test_gives_the_published_p():
    # Bentur 2009: 1 and 7 of 21 children changed; exact p 0.0703 in Fagerland, Lydersen and Laake
    # 2013, BMC Medical Research Methodology 13:91.
    assert mcnemar.either(1, 7) == pytest.approx(0.0703, abs=5e-5)


def test_holms_textbook_example():
    # At 5 % the fourth and the first are rejected, the third is not (0.03 > 0.05 / 2), nor is what
    # comes after it; worked out step by step in most introductions to the method.
    adjusted = holm([0.01, 0.04, 0.03, 0.005])
    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [p <= 0.05 for p in adjusted] == [True, False, False, True]


@pytest.mark.thorough
def test_holm_equals_statsmodels_ties_and_an_empty_family_included():
    random = np.random.default_rng(0)
    for m in (1, 2, 7, 30):
        p = np.round(random.random(m) ** 3, 2)
        assert holm(p.tolist()) == pytest.approx(multipletests(p, method="holm")[1].tolist())
    assert holm([]) == []


def test_the_randomisation_of_hits_is_mcnemars_test():
    for lost, gained in ((5, 0), (4, 1), (3, 9), (0, 0)):
        values = [Fraction(-1)] * lost + [Fraction(1)] * gained + [Fraction(0)] * 7
        found = randomisation(differences(values))
        expected = (mcnemar.worse(lost, gained), mcnemar.either(lost, gained))
        assert (found.worse, found.either, found.exact) == (*expected, True)


@pytest.mark.parametrize("seed", range(5))
def test_the_exact_randomisation_equals_scipys_enumeration(seed):
    values = ranks(seed, 12)
    found = randomisation(differences(values))
    floats = np.array(values, float)
    for alternative, ours in (("less", found.worse), ("two-sided", found.either)):
        theirs = stats.permutation_test(
            (floats,), np.mean, permutation_type="samples", alternative=alternative,
            n_resamples=np.inf,
        ).pvalue  # fmt: skip
        assert ours == pytest.approx(theirs, rel=1e-9)


def test_the_sampled_randomisation_is_near_the_exact_one_never_zero_and_the_same_each_time():
    exact = randomisation(differences(ranks(1, 200)))
    # A prime unit makes the whole distribution too long to work out; the rest is the same to 1e-9.
    fine = [value + Fraction(int(value != 0), 4_294_967_291) for value in ranks(1, 200)]
    sampled = [randomisation(differences(fine)) for _ in range(2)]
    assert (exact.exact, sampled[0].exact) == (True, False)
    error = 4 * sqrt(exact.worse * (1 - exact.worse) / 100_000)
    assert sampled[0].worse == pytest.approx(exact.worse, abs=error)
    assert sampled[0] == sampled[1]
    lost = [Fraction(-1, 2) - Fraction(i, 4_294_967_291) for i in range(200)]
    assert randomisation(differences(lost)).worse == 1 / 100_001  # +1: chance is never ruled out


def test_flips_are_every_sum_equally_often():
    # ±1 ±2 ±4 … ±128 ±256: each of the 512 sums is one choice of signs.
    drawn = flips(2 ** np.arange(9), 200_000, 3)
    sums, counts = np.unique(drawn, return_counts=True)
    assert sums.tolist() == list(range(-511, 512, 2))
    assert stats.chisquare(counts).pvalue > 0.001


def test_random_numbers_are_those_of_every_machine():
    # Written down once: another numpy, processor or run must give the same.
    assert flips(np.array([3, 5, 9]), 6, 7).tolist() == FLIPPED
    found = bootstrap.bca(differences(ranks(2, 34)))
    assert (found.low, found.high) == pytest.approx(BOOTSTRAPPED, abs=1e-12)


FLIPPED = [-1, -7, 7, -11, -11, -11]
BOOTSTRAPPED = (-0.10441176470588236, 0.03627450980392157)


@pytest.mark.parametrize("n", [8, 34, 200])
def test_the_bootstrap_equals_scipys_bca_on_the_same_resamples(n):
    # Sixty-fourths add up exactly in floats, too. With thirds scipy's sums of equal resamples
    # differ in the last digit, and it counts as below what equals it: its ends move by 0.001.
    values = [Fraction(round(value * 64), 64) for value in ranks(n, n)]
    floats = np.array(values, float)
    theirs = stats.bootstrap(
        (floats,), np.mean, n_resamples=2000, method="BCa", rng=np.random.default_rng(5)
    )
    ours = bootstrap.accelerated(differences(values), theirs.bootstrap_distribution, 0.95)
    expected = theirs.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_the_bootstrap_of_groups_equals_scipys_bca_of_a_ratio_of_sums():
    values = [Fraction(round(value * 64), 64) for value in ranks(3, 60)]
    groups = [f"g{i // 3 if i < 30 else i}" for i in range(60)]
    found = differences(values, groups)
    totals = found.totals / found.scale
    theirs = stats.bootstrap(
        (totals, found.sizes),
        lambda total, size, axis: total.sum(axis=axis) / size.sum(axis=axis),
        paired=True, n_resamples=2000, method="BCa", rng=np.random.default_rng(6),
    )  # fmt: skip
    ours = bootstrap.accelerated(found, theirs.bootstrap_distribution, 0.95)
    expected = theirs.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_efrons_published_acceleration_and_percentiles():
    # Efron and Tibshirani 1993, chapter 14: the variance of the spatial test's A is 171.5,
    # a = 0.061, z0 = 0.146, and the 90 % interval lies at the shares 0.110 and 0.985.
    data = [
        48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24,
        26, 30, 41,
    ]  # fmt: skip
    mean = Fraction(sum(data), len(data))
    squares = differences([(x - mean) ** 2 for x in data])
    assert squares.mean == pytest.approx(171.5, abs=0.05)
    assert bootstrap.acceleration(squares) == pytest.approx(0.061, abs=0.0005)
    low, high = bootstrap.shares(0.146, 0.061, 0.90)  # both are rounded, so the ends are near
    assert (low, high) == pytest.approx((0.110, 0.985), abs=0.001)


def test_paraphrases_of_one_question_tell_no_more_than_that_question():
    # Ten losses in two groups of five are two coins, and the interval is as wide as for two.
    lost, kept = [Fraction(-1)] * 10, [Fraction(0)] * 20
    groups = ["a"] * 5 + ["b"] * 5 + [f"q{i}" for i in range(20)]
    apart = differences(lost + kept)
    together = differences(lost + kept, groups)
    assert randomisation(apart).worse == 2**-10
    assert randomisation(together).worse == 2**-2
    alone, grouped = bootstrap.bca(apart), bootstrap.bca(together)
    assert grouped.high - grouped.low > alone.high - alone.low
    assert not_worse(together, 0.5) > not_worse(apart, 0.5)


def test_where_nothing_changed_nothing_is_claimed():
    same = differences([Fraction(0)] * 5)
    assert randomisation(same).either == 1.0
    assert bootstrap.bca(same) == bootstrap.Interval(0.0, 0.0)
    assert bootstrap.bca(differences([Fraction(-1)])) == bootstrap.Interval(-1.0, -1.0)


@pytest.mark.parametrize(
    ("lost", "gained", "n", "low", "high"),
    [
        # Bentur 2009 in Fagerland, Lydersen and Laake 2014, Statistics in Medicine 33:2850-2875:
        # the difference −0.286 has Tango's interval −0.517 to −0.026.
        (1, 7, 21, -0.517, -0.0260),
    ],
)
def test_tangos_score_test_gives_the_published_interval(lost, gained, n, low, high):
    def at(p):
        return brentq(lambda loss: tango(lost, gained, n, loss) - p, -0.999, 0.999)

    upper = stats.norm.sf(Z)
    assert at(1 - upper) == pytest.approx(low, abs=5e-4)
    assert at(upper) == pytest.approx(high, abs=5e-5)


def test_tangos_gain_is_the_likeliest_one():
    # The quadratic's root against a search over the likelihood itself.
    from rageval.statistics.noninferiority import _likeliest_gain

    for lost, gained, n, loss in ((4, 2, 34, 0.1), (0, 3, 50, 0.05), (9, 1, 100, 0.02)):
        grid = np.linspace(1e-9, (1 - loss) / 2 - 1e-9, 200_001)
        likelihood = lost * np.log(grid + loss) + gained * np.log(grid)
        likelihood += (n - lost - gained) * np.log(1 - 2 * grid - loss)
        best = grid[likelihood.argmax()]
        assert _likeliest_gain(lost, gained, n, loss) == pytest.approx(best, abs=1e-5)


def test_non_inferiority_at_no_tolerance_is_mcnemars_z():
    # With Δ = 0 the statistic is (b − c) / √(b + c).
    assert tango(9, 4, 40, 0) == pytest.approx(stats.norm.cdf(5 / sqrt(13)))


def test_what_can_be_shown_follows_from_the_size():
    assert [n for n in range(1, 100) if can_be_shown(n, 0.1, 0.05)][0] == 25
    assert [n for n in range(1, 100) if can_be_shown(n, 0.05, 0.05)][0] == 52


def test_the_least_drop_is_the_first_that_the_exact_test_notices():
    for level in (0.05, 0.025, 0.01, 0.05 / 7):
        least = least_lost(level)
        assert mcnemar.worse(least, 0) <= level < mcnemar.worse(least - 1, 0)
    assert in_words(34) == (
        "with 34 questions one question is 2.9 points; a drop under 5 questions cannot be told "
        "from chance"
    )

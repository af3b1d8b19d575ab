"""Derivatives of recorded motions: known motions with noise, polynomials exactly, the filters of scipy."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from checks import assert_near, assert_same_bits
from scipy.interpolate import BSpline, make_interp_spline
from scipy.linalg import solveh_banded
from scipy.signal import butter, savgol_filter, sosfiltfilt

import rne

RANDOM = np.random.default_rng(5)


@pytest.mark.parametrize(("window", "degree"), [(21, 4), (5, 2), (7, 6), (51, 3)])
@pytest.mark.parametrize("samples", [51, 52, 3000])
def test_at_even_times_it_is_the_filter_of_savitzky_and_golay(window, degree, samples) -> None:
    q = RANDOM.normal(size=(samples, 3))
    tau = RANDOM.normal(size=(samples, 3))
    motion = rne.differentiate(5.0 + np.arange(samples) * 0.01, q, tau=tau, window=window, degree=degree)
    assert_near(motion.tau, savgol_filter(tau, window, degree, axis=0, mode="interp"), 1e-9)
    for k, got in ((0, motion.q), (1, motion.qd), (2, motion.qdd)):
        wanted = savgol_filter(q, window, degree, deriv=k, delta=0.01, axis=0, mode="interp")
        assert_near(got, wanted, 1e-9)


@pytest.mark.parametrize("degree", [2, 3, 4, 6])
def test_polynomials_are_exact_at_uneven_times(degree) -> None:
    t = np.cumsum(RANDOM.uniform(0.001, 0.02, 500))
    factors = RANDOM.normal(size=(degree + 1, 4))
    poly = np.polynomial.polynomial
    motion = rne.differentiate(t, poly.polyval(t, factors).T, window=15, degree=degree)
    assert_near(motion.qd, poly.polyval(t, poly.polyder(factors, 1)).T, 1e-8)
    assert_near(motion.qdd, poly.polyval(t, poly.polyder(factors, 2)).T, 1e-6)
    assert motion.gaps.size == motion.duplicates.size == 0


def test_a_wider_window_takes_out_more_noise() -> None:
    t = np.arange(5000) / 1000
    noise = RANDOM.normal(size=t.size)
    sizes = [rne.differentiate(t, noise, window=window).qdd.std() for window in (7, 15, 31, 63)]
    assert sizes == sorted(sizes, reverse=True)


def test_duplicates_are_reported_and_do_no_harm() -> None:
    t = np.repeat(np.arange(200) / 100, 2)[:300]
    motion = rne.differentiate(t, t**2, window=21)
    np.testing.assert_array_equal(motion.duplicates, np.arange(1, 300, 2))
    assert_near(motion.qd, 2 * t, 1e-9)
    assert_near(motion.qdd, 2 * np.ones_like(t), 1e-7)


def test_no_window_spans_a_gap() -> None:
    t = np.concatenate([np.arange(100), 1000 + np.arange(80), 5000 + np.arange(3)]) / 100
    q = np.concatenate([np.arange(100) ** 2.0, 7 - np.arange(80.0), [1.0, 2.0, 5.0]])
    motion = rne.differentiate(t, q, window=21)
    np.testing.assert_array_equal(motion.gaps, [100, 180])
    assert_near(motion.qdd[:100], np.full(100, 2e4), 1e-9)
    assert_near(motion.qd[100:180], np.full(80, -100.0), 1e-9)
    assert np.isnan(motion.qd[180:]).all()
    assert np.isnan(motion.qdd[180:]).all()
    whole = rne.differentiate(t, q, gap=100, window=21)
    assert whole.gaps.size == 0
    assert np.isfinite(whole.qd).all()


def test_nan_stays_in_its_windows_and_in_its_joint() -> None:
    t = np.arange(100) / 100
    q = np.column_stack([np.sin(t), np.cos(t)])
    clean = rne.differentiate(t, q, window=11)
    q[50, 0] = np.nan
    motion = rne.differentiate(t, q, window=11)
    near = abs(np.arange(100) - 50) <= 5
    assert np.isnan(motion.qd[near, 0]).all()
    assert_same_bits(motion.qd[~near], clean.qd[~near])
    assert_same_bits(motion.qdd[:, 1], clean.qdd[:, 1])


@pytest.mark.parametrize("samples", [0, 1, 2, 4])
def test_too_few_samples_are_nan(samples) -> None:
    with pytest.warns(rne.ModelWarning, match=f"{samples} distinct") if samples else nullcontext():
        motion = rne.differentiate(np.arange(samples), np.ones((samples, 2)))
    assert np.isnan(motion.qd).all()
    assert motion.qd.shape == (samples, 2)
    assert np.isfinite(rne.differentiate(np.arange(5), np.ones((5, 2))).qd).all()


@pytest.mark.parametrize(
    ("t", "q", "options", "word"),
    [
        ([0, 1, 0.5], [1, 2, 3], {}, "t: times decrease from 1 to 0.5 s at sample 2"),
        ([0, 1, np.nan], [1, 2, 3], {}, "t: wanted finite numbers"),
        ([[0, 1]], [1, 2], {}, "t: wanted shape"),
        ([0, 1], [1, 2, 3], {}, r"q: wanted shape \(2, n\), since t has 2 times; got \(3,\)"),
        ([0, 1], ["a", "b"], {}, "q: wanted real numbers"),
        ([0, 1], [1, 2], {"window": 20}, "window: wanted an odd number of samples, more than the degree 4, got 20"),
        ([0, 1], [1, 2], {"window": 3}, "window: wanted an odd number"),
        ([0, 1], [1, 2], {"degree": 1}, "degree: wanted a whole number of at least 2, got 1"),
        ([0, 1], [1, 2], {"cutoff": 0.0}, "cutoff: wanted a positive frequency in Hz, or one a coordinate, got 0.0"),
        ([0, 1], [1, 2], {"cutoff": [1.0, 2.0]}, "cutoff: wanted a number or 1, one a coordinate"),
        ([0, 1], [1, 2], {"cutoff": 5.0, "window": 5}, "cutoff: the window has one already"),
        ([0, 1], [1, 2], {"tau": [1]}, "tau: wanted shape"),
        ([0, 1], [1, 2], {"tau": [[1, 2], [1, 2]]}, "tau: wanted the shape of q"),
    ],
)
def test_wrong_arguments(t, q, options, word) -> None:
    with pytest.raises(rne.ArgumentError, match=word):
        rne.differentiate(t, q, **options)


def test_angles_that_wrap_are_warned_of() -> None:
    t = np.arange(400) / 100
    q = (3 * t + np.pi) % (2 * np.pi) - np.pi
    with pytest.warns(rne.ModelWarning, match=r"coordinates 1 \(from zero\) jump by nearly a turn.*numpy.unwrap"):
        rne.differentiate(t, np.column_stack([t, q]))
    with pytest.raises(rne.ArgumentError, match="q: wanted at least one coordinate"):
        rne.differentiate(t, np.zeros((400, 0)))


def fourier(t: np.ndarray, base: float, harmonics: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """An exciting motion and its accelerations, as identification takes them."""
    k = 2 * np.pi * base * np.arange(1, harmonics + 1)
    sines, cosines = np.random.default_rng(seed).normal(size=(2, harmonics)) * base / k
    angles = np.outer(t, k)
    q, qdd = (np.sin(angles) @ (x * sines) + np.cos(angles) @ (x * cosines) for x in (6.0, -6.0 * k**2))
    return q, qdd


def point_to_point(t: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Quintic motions with rests between them: jumps of the jerk."""
    random, q, qdd, start = np.random.default_rng(seed), np.zeros_like(t), np.zeros_like(t), 0.5
    while start < t[-1] - 2.5:
        duration, way = random.uniform(1.0, 2.0), random.normal()
        u = np.clip((t - start) / duration, 0.0, 1.0)
        q += way * (10 * u**3 - 15 * u**4 + 6 * u**5)
        qdd += way * (60 * u - 180 * u**2 + 120 * u**3) / duration**2
        start += duration + 0.3
    return q, qdd


def rms(error: np.ndarray) -> float:
    return float(np.sqrt(np.mean(error**2)))


def best_of_others(y: np.ndarray, qdd: np.ndarray, rate: float, inside: np.ndarray) -> float:
    """RMS error with the best of many Savitzky-Golay windows and Butterworth cutoffs."""
    sizes = np.unique((2.0 ** np.arange(2.6, np.log2(0.8 * rate), 0.5)).astype(int) // 2 * 2 + 1)
    errors = [rms(savgol_filter(y, size, 4, deriv=2, delta=1 / rate)[inside] - qdd[inside]) for size in sizes]
    for cutoff in 2.0 ** np.arange(-1.0, np.log2(min(0.45 * rate, 60.0)), 0.4):
        smooth = sosfiltfilt(butter(4, cutoff, fs=rate, output="sos"), y)
        errors.append(rms(np.gradient(np.gradient(smooth, 1 / rate), 1 / rate)[inside] - qdd[inside]))
    return min(errors)


MOTIONS = {
    "slow": lambda t: fourier(t, 0.1, 5, 0),
    "many": lambda t: fourier(t, 1 / 21, 20, 1),
    "fast": lambda t: fourier(t, 0.5, 5, 2),
    "quintics": lambda t: point_to_point(t, 3),
}


@pytest.mark.parametrize(
    ("name", "rate", "noise"),
    [
        ("slow", 50, 1e-3),
        ("fast", 50, 1e-3),
        ("quintics", 200, 1e-5),
        ("slow", 200, 1e-5),
        ("many", 1000, 1e-4),
        ("slow", 1000, 1e-6),
        ("fast", 2000, 1e-3),
    ],
)
def test_accelerations_are_nearly_as_good_as_those_of_the_best_filter_in_hindsight(name, rate, noise) -> None:
    duration = 21 if rate < 1000 else 8
    t = np.arange(duration * rate + 1) / rate
    q, qdd = MOTIONS[name](t)
    y = q + noise * np.random.default_rng(7).normal(size=t.size)
    motion = rne.differentiate(t, y)
    inside = (t > 1.0) & (t < duration - 1.0)
    error = rms((motion.qdd - qdd)[inside])
    assert error < 1.3 * best_of_others(y, qdd, rate, inside)
    if noise > 1e-6:  # with less noise than that the best cutoff in hindsight is up to twice as good
        cutoffs = motion.cutoff * 2.0 ** (np.arange(-3, 4) / 8)
        own = rne.differentiate(t, np.tile(y[:, None], 7), cutoff=cutoffs).qdd
        assert error < 1.3 * min(rms(x[inside] - qdd[inside]) for x in own.T)


def test_the_noise_that_is_left_is_told() -> None:
    t = np.arange(8_000) / 1000
    q, _ = fourier(t, 0.1, 5, 0)
    noise = 1e-4 * np.random.default_rng(1).normal(size=t.size)
    motion = rne.differentiate(t, q + noise)
    left = rne.differentiate(t, noise, cutoff=motion.cutoff).qdd[1500:-1500]
    assert motion.noise == pytest.approx(rms(left), rel=0.4)


@pytest.mark.parametrize("cutoff", [1.0, 8.0, 60.0])
def test_the_response_is_that_of_butterworth_forward_and_backward(cutoff) -> None:
    """In the middle: the amplitude of a sine, and of its derivatives."""
    t = np.arange(10_000) / (50 * cutoff if cutoff < 60 else 1000)
    for ratio in (0.5, 0.8, 1.0, 1.25):
        w = 2 * np.pi * cutoff * ratio
        motion = rne.differentiate(t, np.sin(w * t), tau=np.sin(w * t), cutoff=cutoff)
        wanted = 1 / (1 + (np.sqrt(2) - 1) * ratio**12)
        middle = slice(2000, 8000)
        for got, like in ((motion.q, np.sin), (motion.qd / w, np.cos), (motion.qdd / -(w**2), np.sin)):
            amplitude = 2 * np.mean((got * like(w * t))[middle])
            assert amplitude == pytest.approx(wanted, abs=0.02)
        assert_same_bits(motion.tau, motion.q)


def test_it_is_the_minimum_of_the_penalized_squares() -> None:
    """Against a solution by scipy of the same normal equations, with uneven times, in the middle of a long motion."""
    t = np.cumsum(RANDOM.uniform(0.2e-3, 1.8e-3, 8000))
    y = np.sin(3 * t) + 1e-3 * RANDOM.normal(size=t.size)
    motion = rne.differentiate(t, y, cutoff=4.0)
    knots, order = 0.016, 6  # as it takes them for this cutoff
    u = (t - t[0]) / knots
    edges = np.arange(-5.0, int(u[-1]) + 7.0)
    rows = BSpline.design_matrix(u, edges, 5).toarray()
    differences = np.diff(np.eye(rows.shape[1]), n=order, axis=0)
    rate = knots / np.mean(np.diff(t))
    angle = 2 * np.pi * 4.0 * knots
    symbol = ((33 + 26 * np.cos(angle) + np.cos(2 * angle)) / 60) ** 2
    weight = (np.sqrt(2) - 1) * rate * symbol / (2 * np.sin(angle / 2)) ** (2 * order)
    full = rows.T @ rows + weight * differences.T @ differences
    bands = np.array([np.pad(np.diagonal(full, -k), (0, k)) for k in range(order + 1)])
    wanted = rows @ solveh_banded(bands, rows.T @ y, lower=True)
    middle = slice(2000, 6000)
    assert abs(motion.q - wanted)[middle].max() < 1e-5 < 1e-4 < abs(motion.q - y)[middle].max()


def test_way_points_are_interpolated() -> None:
    """Ten way points a second of a quintic that rests before and after."""
    t = np.arange(31) / 10
    u = np.clip((t - 0.5) / 2, 0.0, 1.0)
    q = 1.2 * (10 * u**3 - 15 * u**4 + 6 * u**5)
    motion = rne.differentiate(t, np.column_stack([q, t**2]))
    assert np.isinf(motion.cutoff).all()
    assert np.isnan(motion.noise).all()
    assert abs(motion.q[:, 0] - q).max() < 1e-6
    assert abs(motion.qdd[:, 0] - 1.2 * (60 * u - 180 * u**2 + 120 * u**3) / 4).max() < 0.07  # of 1.73 at most
    assert_near(motion.qdd[:, 1], np.full(31, 2.0), 1e-5)


@pytest.mark.parametrize("rate", [10, 20, 25])
def test_slow_logs_are_filtered_where_they_are_noisy(rate) -> None:
    """Sines with noise, and long lists of way points of quintics without: these are interpolated."""
    t = np.arange(21 * rate + 1) / rate
    noise = 1e-3 * np.random.default_rng(7).normal(size=(t.size, 2))
    motion = rne.differentiate(t, np.column_stack([0.5 * np.sin(2 * t), 0.8 * np.cos(t)]) + noise)
    wrong = motion.qdd - np.column_stack([-2 * np.sin(2 * t), -0.8 * np.cos(t)])
    assert rms(wrong[3:-3]) < 0.01 < 0.3 < rms(rne.differentiate(t, noise, cutoff=np.inf).qdd)
    q, qdd = point_to_point(t, 3)
    way_points = rne.differentiate(t, q)
    assert np.isinf(way_points.cutoff).all()
    assert rms((way_points.qdd - qdd)[3:-3]) < 0.03 * rms(qdd)


def test_ends_of_interpolation_are_those_without_knots() -> None:
    """Way points of one whole quintic, which comes out exactly, and of others, as by scipy with ends "not-a-knot"."""
    for count in (7, 11, 12, 21, 31):
        s = np.linspace(0, 1, count)
        q = 10 * s**3 - 15 * s**4 + 6 * s**5
        motion = rne.differentiate(s, np.column_stack([q, np.sin(3 * s)]))
        assert_near(motion.qdd[:, 0], 60 * s - 180 * s**2 + 120 * s**3, 1e-4)
        by_scipy = make_interp_spline(s, np.sin(3 * s), k=5).derivative(2)(s)
        right = -9 * np.sin(3 * s)
        assert abs(motion.qdd[:, 1] - right).max() < max(3 * abs(by_scipy - right).max(), 1e-4)


def test_noise_that_interpolation_passes_is_told() -> None:
    t = np.arange(2000) / 20
    noise = 1e-3 * np.random.default_rng(7).normal(size=t.size)
    motion = rne.differentiate(t, np.sin(2 * t) + noise, cutoff=np.inf)
    assert motion.noise == pytest.approx(rms((motion.qdd + 4 * np.sin(2 * t))[9:-9]), rel=0.2)


def test_polynomials_pass_as_they_are() -> None:
    t = np.cumsum(RANDOM.uniform(0.5e-3, 1.5e-3, 5000))
    motion = rne.differentiate(t, np.column_stack([t**2, 3 - t, np.full(5000, 1e3)]), cutoff=5.0)
    assert_near(motion.qdd, np.tile([2.0, 0.0, 0.0], (5000, 1)), 1e-6)
    assert_near(motion.qd[:, 1], np.full(5000, -1.0), 1e-8)


def test_jitter_of_the_times_is_respected() -> None:
    even = np.arange(10_000) / 1000
    t = even + np.random.default_rng(2).uniform(-0.4e-3, 0.4e-3, even.size)
    motion = rne.differentiate(t, np.sin(6 * t))
    wrong = rne.differentiate(even, np.sin(6 * t))
    inside = slice(1000, 9000)
    assert rms((motion.qdd + 36 * np.sin(6 * t))[inside]) < 1e-4
    assert rms((wrong.qdd + 36 * np.sin(6 * t))[inside]) > 1e-2


def test_edges_are_marked_and_differ_by_coordinate() -> None:
    t = np.concatenate([np.arange(4000), 9000 + np.arange(4000)]) / 1000
    motion = rne.differentiate(t, np.zeros((8000, 2)), cutoff=[2.0, 10.0])
    np.testing.assert_array_equal(motion.cutoff, [2.0, 10.0])
    near = np.minimum(t % 9.0, 3.999 - t % 9.0)
    for k, length in enumerate((0.5, 0.1)):
        sure = abs(near - length) > 1e-6
        np.testing.assert_array_equal(motion.edges[sure, k], near[sure] < length)


def test_a_lost_sample_costs_no_other() -> None:
    t = np.arange(5000) / 1000
    q = np.column_stack([np.sin(t), np.cos(t)])
    clean = rne.differentiate(t, q, cutoff=10.0)
    q[2500, 0] = np.nan
    motion = rne.differentiate(t, q, cutoff=10.0)
    lost = np.isnan(motion.qdd)
    assert lost.sum() == 1
    assert lost[2500, 0]
    assert_same_bits(motion.qdd[:, 1], clean.qdd[:, 1])
    assert np.nanmax(abs(motion.qdd - clean.qdd)) < 1e-8


def test_a_degree_alone_has_its_window_from_the_data() -> None:
    t = np.arange(8_000) / 1000
    y = fourier(t, 0.1, 5, 0)[0] + 1e-4 * np.random.default_rng(1).normal(size=t.size)
    chosen, made = rne.differentiate(t, y), rne.differentiate(t, y, degree=4)
    assert made.cutoff == pytest.approx(chosen.cutoff, rel=0.15)
    assert rms((made.q - chosen.q)[1000:-1000]) < 0.05 * rms(chosen.q)

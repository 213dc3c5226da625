"""tensorboard.py: checks the events of a training step by NumPy.

  tensorboard.py data FOLDER
  tensorboard.py events FOLDER EVENTS BEFORE AFTER LEARNING_RATE
  tensorboard.py session EVENTS SUCCEEDED NAME=VALUE...
  tensorboard.py tags EVENTS STEP TAG...

BEFORE and AFTER are checkpoints. Their model is relu6(relu6(x V) W), and the loss is the
mean squared error."""

import ast
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
import eventfile  # noqa: E402
from eventfile import bundle  # noqa: E402


def data(folder):
    rng = np.random.default_rng(3)
    np.save(f"{folder}/x.npy", rng.uniform(0, 2, (3, 8)).astype(np.float32))
    np.save(f"{folder}/t.npy", rng.uniform(0, 9, (3, 5)).astype(np.float32))
    # A square of this difference is infinite.
    np.save(f"{folder}/large.npy", np.full((3, 5), 3e38, np.float32))


def variables(checkpoint):
    return {key: np.frombuffer(content, "<f4").reshape(shape)
            for key, (_, shape, content) in bundle.read(checkpoint).items()}


def limits():
    """The limits of TensorFlow's buckets."""
    positive, limit = [], 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(np.finfo(np.float64).max)
    return np.array([-each for each in reversed(positive)] + [0.0] + positive)


def check_histogram(found, array, rtol):
    """Values that differ by rounding may be in neighbouring buckets."""
    array = np.float64(array).ravel()
    least, most, count, total, squares, limit, buckets = found
    for got, want in ((least, array.min()), (most, array.max()), (total, array.sum()),
                      (squares, (array ** 2).sum())):
        assert abs(got - want) <= max(rtol, 1e-12) * max(1, np.abs(array).sum()), (got, want)
    assert count == array.size == buckets.sum()
    all_limits = limits()
    assert np.isin(limit, all_limits).all() and (np.diff(limit) > 0).all()
    assert limit[-1] == all_limits[-1]
    # No two empty buckets follow each other, and each other one has its own limits.
    assert not ((buckets[1:] == 0) & (buckets[:-1] == 0)).any()
    for i in np.flatnonzero(buckets):
        at = np.searchsorted(all_limits, limit[i])
        assert at == 0 or limit[i - 1] == all_limits[at - 1]
        low = limit[i - 1] if i else -np.inf
        near = rtol * np.abs(array).max()
        inside = (array >= low - near) & (array < limit[i] + near)
        assert inside.sum() >= buckets[i], (low, limit[i], buckets[i])
        if rtol == 0:
            assert inside.sum() == buckets[i]


def gradients(x, t, v, w):
    products = x @ v
    hidden = np.clip(products, 0, 6)
    sums = hidden @ w
    y = np.clip(sums, 0, 6)
    by_sums = 2 * (y - t) / y.size * ((sums > 0) & (sums < 6))
    by_products = by_sums @ w.T * ((products > 0) & (products < 6))
    return x.T @ by_products, hidden.T @ by_sums


def events(folder, path, before, after, rate):
    x, t = (np.float64(np.load(f"{folder}/{name}.npy")) for name in "xt")
    old, new = variables(before), variables(after)
    by_v, by_w = gradients(x, t, *(np.float64(old[name]) for name in "VW"))
    assert (by_v != 0).any() and (by_w != 0).any()
    ((_, step, values),) = eventfile.read(path)[2:-1]
    assert step == 1
    assert set(values) == {"loss", "steps_per_second", "examples_per_second", "learning_rate",
                           "variables/V", "variables/W", "gradients/V", "gradients/W"}, values
    assert values["learning_rate"] == np.float32(rate)
    for name, gradient in (("V", by_v), ("W", by_w)):
        check_histogram(values[f"variables/{name}"], new[name], 0)
        check_histogram(values[f"gradients/{name}"], gradient, 1e-5)


def session(path, succeeded, *wanted):
    parameters, text, has_succeeded = eventfile.session(eventfile.read(path))
    assert has_succeeded == (succeeded == "yes")
    for each in wanted:
        name, value = each.split("=", 1)
        assert parameters[name] == ast.literal_eval(value), (name, parameters)
    print(text)


def tags(path, step, *wanted):
    values = {s: values for _, s, values in eventfile.read(path)[2:-1]}[int(step)]
    numbers = {"loss", "steps_per_second", "examples_per_second", "learning_rate"}
    assert set(values) - numbers == set(wanted), values
    for tag in wanted:
        if tag.startswith("not_finite/"):
            print(f"{tag} {values[tag]:.0f}")


{"data": data, "events": events, "session": session, "tags": tags}[sys.argv[1]](*sys.argv[2:])

#!/usr/bin/python3
"""fit.py LIBRARY CHECKPOINT: fits the model and compares it with Newton's method in NumPy.

The data are 500 points with labels that follow known weights. Gradient descent runs in
the library. Exits with 1 if a number is outside its tolerance. Needs numpy and the module
weir.
"""

import sys

import numpy as np
import weir

POINTS, STEPS = 500, 2000
WEIGHTS, BIAS = np.array([1.5, -2.0, 0.5]), 0.3


def sigmoid(scores):
    return 1 / (1 + np.exp(-scores))


def data():
    """Points, and labels that are 1 with the probability of the known weights."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(POINTS, 3)).astype(np.float32)
    labels = rng.random(POINTS) < sigmoid(x @ WEIGHTS + BIAS)
    return x, labels.astype(np.float32)[:, None]


def loss_and_gradient(x, labels, weights):
    """The mean cross-entropy and its gradient, in double precision."""
    probabilities = sigmoid(x @ weights)
    loss = -np.mean(labels * np.log(probabilities) + (1 - labels) * np.log(1 - probabilities))
    return loss, x.T @ (probabilities - labels) / len(x)


def newton(x, labels):
    """The weights of least loss; the last one is the bias."""
    weights = np.zeros((x.shape[1], 1))
    for _ in range(20):
        probabilities = sigmoid(x @ weights)
        hessian = x.T @ (x * probabilities * (1 - probabilities)) / len(x)
        weights -= np.linalg.solve(hessian, loss_and_gradient(x, labels, weights)[1])
    return weights


wrong = False


def compare(what, found, expected, tolerance):
    global wrong
    difference = np.abs(np.ravel(found) - np.ravel(expected)).max()
    print(f"{what}: {' '.join(f'{value:.4f}' for value in np.ravel(found))}")
    if not difference <= tolerance:
        wrong = True
        print(f"  expected {' '.join(f'{value:.4f}' for value in np.ravel(expected))}")


x, labels = data()
wide = np.hstack([x, np.ones((POINTS, 1))]).astype(np.float64)
net = weir.Model(sys.argv[1])

# At zero, every probability is 1/2.
result = net.gradients(x=x, labels=labels)
loss, gradient = loss_and_gradient(wide, labels, np.zeros((4, 1)))
compare("loss before training", result["loss"], loss, 1e-6)
compare("gradient of W", result["gradients/W"], gradient[:3], 1e-6)
compare("gradient of b", result["gradients/b"], gradient[3:], 1e-6)

for _ in range(STEPS):
    net.train_step(x=x, labels=labels)

best = newton(wide, labels)
result = net.gradients(x=x, labels=labels)
compare("loss after training", result["loss"], loss_and_gradient(wide, labels, best)[0], 1e-6)
compare("W", net.variables["W"], best[:3], 1e-4)
compare("b", net.variables["b"], best[3:], 1e-4)
steepest = max(np.abs(result[name]).max() for name in ("gradients/W", "gradients/b"))
print(f"largest gradient below 1e-5: {'yes' if steepest < 1e-5 else 'no'}")
right = ((net.predict(x=x)["probability"] > 0.5) == labels).mean()
print(f"accuracy: {100 * right:.1f} %")
net.save(sys.argv[2])
sys.exit(1 if wrong or steepest >= 1e-5 else 0)

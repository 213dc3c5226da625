#!/usr/bin/python3
"""net.py OUT.pbtxt [--training]: writes the convolutional net as a TensorFlow graph.

With --training, batch normalization takes the mean and the variance of the batch, and
the node `move_averages` moves the averages that the graph without it uses. Both graphs
have the same variables. Needs numpy.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from graphdef import Graph

CLASSES, MOMENTUM, EPSILON = 6, 0.9, 1e-3


class Net(Graph):
    def __init__(self, training):
        super().__init__()
        self.training, self.moves = training, []

    def normalize(self, name, x, channels):
        scale = self.variable(f"{name}/scale", np.ones(channels))
        offset = self.variable(f"{name}/offset", np.zeros(channels))
        averages = {"mean": self.variable(f"{name}/mean", np.zeros(channels)),
                    "variance": self.variable(f"{name}/variance", np.ones(channels))}
        unused = [self.constant(f"{name}/none", np.zeros(0, np.float32))] * 2
        self.op(name, "FusedBatchNormV3", x, scale, offset,
                *(unused if self.training else averages.values()), U="DT_FLOAT",
                epsilon=EPSILON, is_training=self.training)
        if self.training:
            for result, (kind, average) in enumerate(averages.items(), 1):
                change = self.op(f"{name}/{kind}/change", "Sub", average, f"{name}:{result}")
                part = self.op(f"{name}/{kind}/part", "Mul", change, "rate")
                self.moves.append(self.op(f"{name}/{kind}/move", "AssignSub", average, part))
        return name

    def convolution(self, name, x, inputs, outputs):
        """A convolution of 3 x 3 with batch normalization."""
        filters = self.weight(f"{name}/filters", 3, 3, inputs, outputs, inputs=9 * inputs)
        y = self.op(f"{name}/conv", "Conv2D", x, filters, strides=[1, 1, 1, 1], padding="SAME")
        return self.normalize(f"{name}/norm", y, outputs)

    def relu(self, x):
        return self.op(f"{x}/relu", "Relu", x)

    def pool(self, x):
        return self.op(f"{x}/pool", "MaxPool", x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
                       padding="SAME")

    def residual(self, name, x, channels):
        """Two convolutions, and the sum of their result and x."""
        y = self.relu(self.convolution(f"{name}/first", x, channels, channels))
        y = self.convolution(f"{name}/second", y, channels, channels)
        return self.relu(self.op(f"{name}/sum", "AddV2", x, y))


net = Net(training="--training" in sys.argv)
net.constant("rate", np.float32(1 - MOMENTUM))
x = net.placeholder("image", -1, 32, 32, 1)
x = net.pool(net.relu(net.convolution("stem", x, 1, 16)))
x = net.pool(net.residual("block1", x, 16))
x = net.relu(net.convolution("wide", x, 16, 32))
x = net.residual("block2", x, 32)
x = net.op("mean", "Mean", x, net.constant("mean/axes", np.int32([1, 2])), Tidx="DT_INT32")
x = net.op("product", "MatMul", x, net.weight("dense/weights", 32, CLASSES, inputs=32))
x = net.op("scores", "BiasAdd", x, net.variable("dense/bias", np.zeros(CLASSES)))
net.op("probabilities", "Softmax", x)
if net.training:
    net.node("move_averages", "NoOp", *(f"^{name}" for name in net.moves))
net.write(sys.argv[1])

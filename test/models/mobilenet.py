"""mobilenet.py OUT [--log=BLOCK]: writes MobileNetV2 as an ONNX model, with random weights.

The files are OUT/net.onnx.txt and OUT/weights.bin. It has the layers of the paper (Sandler et al.,
2018): 17 inverted residual blocks over 224 x 224 images, 3.5 million weights and 300 million
multiply-adds. With --log a logarithm follows the projection of that block, from 0. Its operand is
negative where the projection is.
"""

import argparse
from pathlib import Path

import numpy as np

# The expansion, the channels, the number of blocks and the stride of the first one.
SETTINGS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
            (6, 160, 3, 2), (6, 320, 1, 1))


class Net:
    def __init__(self):
        self.random = np.random.default_rng(1)
        self.nodes, self.initializers, self.content = [], [], b""

    def weight(self, name, values):
        values = np.asarray(values, np.float32)
        place = {"location": "weights.bin", "offset": len(self.content), "length": values.nbytes}
        entries = "".join(f' external_data {{ key: "{k}" value: "{v}" }}' for k, v in place.items())
        dims = "".join(f" dims: {n}" for n in values.shape)
        self.initializers.append(
            f'initializer {{ name: "{name}"{dims} data_type: 1 data_location: EXTERNAL{entries} }}')
        self.content += values.tobytes()
        return name

    def op(self, name, kind, *inputs, **attributes):
        text = f'node {{ name: "{name}" op_type: "{kind}" output: "{name}"'
        text += "".join(f' input: "{i}"' for i in inputs)
        for key, value in attributes.items():
            text += f' attribute {{ name: "{key}" '
            if isinstance(value, int):
                text += f"type: INT i: {value} }}"
            else:
                text += "type: INTS" + "".join(f" ints: {v}" for v in value) + " }"
        self.nodes.append(text + " }")
        return name

    def convolution(self, name, x, channels, outputs, size=1, stride=1, groups=1, clips=True):
        """A convolution, its batch normalization and, mostly, a clip to [0, 6]."""
        shape = (outputs, channels // groups, size, size)
        scale = np.sqrt(2 / np.prod(shape[1:]))
        w = self.weight(name + "/w", self.random.normal(0, scale, shape))
        pad = size // 2
        y = self.op(name + "/conv", "Conv", x, w, kernel_shape=(size, size), group=groups,
                    strides=(stride, stride), pads=(pad, pad, pad, pad))
        moments = [self.weight(f"{name}/{part}", values) for part, values in (
            ("scale", self.random.uniform(0.8, 1.2, outputs)),
            ("offset", self.random.uniform(-0.2, 0.2, outputs)),
            ("mean", self.random.uniform(-0.1, 0.1, outputs)),
            ("variance", self.random.uniform(0.8, 1.2, outputs)))]
        y = self.op(name + "/bn", "BatchNormalization", y, *moments)
        return self.op(name + "/relu6", "Clip", y, "zero", "six") if clips else y


def mobilenet(log):
    net = Net()
    net.weight("zero", 0.0)
    net.weight("six", 6.0)
    x, channels, number = net.convolution("stem", "image", 3, 32, 3, 2), 32, 0
    for expansion, outputs, count, first in SETTINGS:
        for i in range(count):
            name, inner, y = f"block{number}", channels * expansion, x
            if expansion != 1:
                y = net.convolution(name + "/expand", y, channels, inner)
            y = net.convolution(name + "/depthwise", y, inner, inner, 3, first if i == 0 else 1,
                                inner)
            y = net.convolution(name + "/project", y, inner, outputs, clips=False)
            if number == log:
                y = net.op(name + "/log", "Log", y)
            x = net.op(name + "/add", "Add", x, y) if i else y
            channels, number = outputs, number + 1
    x = net.convolution("head", x, channels, 1280)
    x = net.op("pool", "GlobalAveragePool", x)
    x = net.op("flat", "Flatten", x)
    w = net.weight("classes/w", net.random.normal(0, 0.03, (1280, 1000)))
    net.op("classes", "MatMul", x, w)
    return net


def value(name, *shape):
    dims = " ".join(f"dim {{ dim_value: {n} }}" for n in shape)
    return f'{{ name: "{name}" type {{ tensor_type {{ elem_type: 1 shape {{ {dims} }} }} }} }}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--log", type=int)
    options = parser.parse_args()
    net = mobilenet(options.log)
    lines = ["ir_version: 8", "opset_import { version: 17 }", "graph {", 'name: "mobilenetv2"',
             f"input {value('image', 1, 3, 224, 224)}", f"output {value('classes', 1, 1000)}",
             *net.initializers, *net.nodes, "}"]
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "net.onnx.txt").write_text("\n".join(lines) + "\n")
    (options.out / "weights.bin").write_bytes(net.content)


main()

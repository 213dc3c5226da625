#!/usr/bin/python3
"""segmentation.py [--side 320] [--threads 1,2] [--rounds 3] [--weir build/release/bin] [--onnxruntime FOLDER]
[--write MODEL.onnx] [--float]: an 8-bit segmentation net of the U2-Net kind (ISNet), with random weights.

Writes the net as ONNX Runtime's quantize_dynamic does: each convolution is a DynamicQuantizeLinear of its input, a
ConvInteger of u8 by u8 with both zero points, a Cast, a Mul by the product of the two scales and an Add of the bias.
The net has six scales, dilations of 1 to 8, pools with ceil_mode, bilinear Resize and Concat skips. With --float the
convolutions are plain ones of f32. Compiles the net for each number of threads and prints the best time of some runs.
With --onnxruntime, the folder in which `npm install onnxruntime-node` was run, ONNX Runtime runs the same file in the
same rounds, and the median of the ratios of the times is printed too. With --write the net is only written.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

import numpy as np
import peer
from onnx import TensorProto, helper, numpy_helper

F = np.float32


class Net:
    """The nodes of the net; a value is its name and its shape."""

    def __init__(self, side, quantized=True):
        self.rng = np.random.default_rng(0)
        self.quantized, self.nodes, self.constants, self.quantized_inputs = quantized, [], [], {}
        x = ("image", (3, side, side))
        outputs = self.isnet(x)
        info = lambda value: helper.make_tensor_value_info(value[0], TensorProto.FLOAT, (1, *value[1]))
        graph = helper.make_graph(self.nodes, "isnet", [info(x)], [info(y) for y in outputs], self.constants)
        opset = helper.make_opsetid("", 13)
        self.model = helper.make_model(graph, opset_imports=[opset], ir_version=7, producer_name="segmentation.py")

    def const(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, *inputs, results=1, **attributes):
        names = [f"{op}_{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(results)]
        self.nodes.append(helper.make_node(op, inputs, names, name=names[0], **attributes))
        return names if results > 1 else names[0]

    def conv(self, x, out, dilation=1, stride=1, relu=True):
        name, (channels, height, width) = x
        weight = F(self.rng.standard_normal((out, channels, 3, 3)) * (2 / (9 * channels)) ** 0.5)
        bias = self.const(F(self.rng.standard_normal((1, out, 1, 1)) * 0.1))
        window = dict(kernel_shape=[3, 3], pads=[dilation] * 4, dilations=[dilation] * 2, strides=[stride] * 2)
        if self.quantized:
            # The quantizer keeps one quantized copy of a tensor that several convolutions read.
            if name not in self.quantized_inputs:
                self.quantized_inputs[name] = self.node("DynamicQuantizeLinear", name, results=3)
            low, high = weight.min(), weight.max()
            scale = F((high - low) / 255)
            zero = np.uint8(np.round(-low / scale))
            data = np.uint8(np.clip(np.round(weight / scale) + zero, 0, 255))
            bytes_, x_scale, x_zero = self.quantized_inputs[name]
            sums = self.node("ConvInteger", bytes_, self.const(data), x_zero, self.const(zero), **window)
            scales = self.node("Mul", x_scale, self.const(scale))
            y = self.node("Mul", self.node("Cast", sums, to=TensorProto.FLOAT), scales)
        else:
            y = self.node("Conv", name, self.const(weight), **window)
        y = self.node("Add", y, bias)
        shape = (out, -(-height // stride), -(-width // stride))
        return (self.node("Relu", y) if relu else y), shape

    def pool(self, x):
        y = self.node("MaxPool", x[0], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
        return y, (x[1][0], *(-(-d // 2) for d in x[1][1:]))

    def resize(self, x, like):
        sizes = self.const(np.int64([1, x[1][0], *like[1][1:]]))
        y = self.node("Resize", x[0], "", "", sizes, mode="linear", coordinate_transformation_mode="pytorch_half_pixel")
        return y, (x[1][0], *like[1][1:])

    def concat(self, *each):
        return self.node("Concat", *(name for name, _ in each), axis=1), (sum(s[0] for _, s in each), *each[0][1][1:])

    def block(self, x, depth, inner, out, dilated=False):
        """A residual U block: `depth` convolutions down, with pools between or wider dilations, and as many up."""
        first = self.conv(x, out)
        down = [self.conv(first, inner)]
        for level in range(1, depth - 1):
            last = down[-1] if dilated else self.pool(down[-1])
            down.append(self.conv(last, inner, 2**level if dilated else 1))
        y = self.conv(down[-1], inner, 2 ** (depth - 1) if dilated else 2)
        for level in reversed(range(depth - 1)):
            dilation = 2**level if dilated else 1
            y = self.conv(self.concat(y, down[level]), inner if level else out, dilation)
            if level and not dilated:
                y = self.resize(y, down[level - 1])
        return self.node("Add", y[0], first[0]), first[1]

    def isnet(self, x):
        y, skips = self.conv(x, 64, stride=2), []
        stages = [(7, 32, 64), (6, 32, 128), (5, 64, 256), (4, 128, 512), (4, 256, 512, True), (4, 256, 512, True)]
        for stage in stages:
            y = self.block(self.pool(y) if skips else y, *stage)
            skips.append(y)
        sides = [y]
        ups = [(4, 256, 512, True), (4, 128, 256), (5, 64, 128), (6, 32, 64), (7, 16, 64)]
        for skip, stage in zip(skips[-2::-1], ups):
            y = self.block(self.concat(self.resize(y, skip), skip), *stage)
            sides.append(y)
        sides = [self.resize(self.conv(side, 1, relu=False), x) for side in sides[::-1]]
        return [(self.node("Sigmoid", side[0]), side[1]) for side in sides]


def output_of(*command):
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    return run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=320)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--weir", default="build/release/bin")
    parser.add_argument("--onnxruntime", metavar="FOLDER")
    parser.add_argument("--write", metavar="MODEL.onnx")
    parser.add_argument("--float", action="store_true")
    options = parser.parse_args()
    net = Net(options.side, not options.float)
    if options.write:
        open(options.write, "wb").write(net.model.SerializeToString())
        return
    with tempfile.TemporaryDirectory() as folder:
        model, library = f"{folder}/net.onnx", f"{folder}/net.so"
        open(model, "wb").write(net.model.SerializeToString())
        image = F(net.rng.random((1, 3, options.side, options.side)) - 0.5)
        np.save(f"{folder}/image.npy", image)
        image.tofile(f"{folder}/image.bin")
        for threads in options.threads.split(","):
            output_of(f"{options.weir}/weir", "compile", model, "-o", library, f"--threads={threads}")
            times, peers = [], []
            for _ in range(options.rounds):
                printed = output_of(f"{options.weir}/weir-run", library, f"--input=image=@{folder}/image.npy",
                                    "--repeat=3", "--warmup=1", "--json", f"--output-dir={folder}")  # fmt: skip
                times.append(json.loads(printed)["min_us"] / 1e3)
                if options.onnxruntime:
                    feed = f"image={folder}/image.bin:1x3x{options.side}x{options.side}:float32"
                    peers.append(peer.microseconds(options.onnxruntime, model, threads, 3, feed) / 1e3)
            print(f"{threads} threads: {min(times):.1f} ms", end="")
            if peers:
                ratio = statistics.median(other / time for other, time in zip(peers, times))
                print(f", ONNX Runtime {min(peers):.1f} ms, x {ratio:.2f}", end="")
            print(f"; library {os.path.getsize(library) / os.path.getsize(model):.2f} of the model", flush=True)


main()

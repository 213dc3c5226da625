#!/usr/bin/python3
"""quantized.py MODEL.onnx FORM OUT.onnx --engine 'CMD {onnx} {dump}': a model of f32 as one of 8-bit integers.

FORM is one of those that ONNX Runtime's quantizer writes:
  qdq      QuantizeLinear and DequantizeLinear around each layer, ranges calibrated
  qlinear  QLinearConv and QLinearMatMul, ranges calibrated
  dynamic  DynamicQuantizeLinear and MatMulInteger, for products of matrices
Activations are unsigned with a zero point, weights signed with a scale a channel, biases of i32. Convolutions and
products by constants are quantized, and with calibrated ranges the sums of images and the mean of their pixels; batch
norms are folded before, and activations that only clip are left to the range. For ranges the engine runs the model once
on the harness's input, x[i] = float(uint32((i+1)*2654435761) >> 8)/2^24 - 0.5, and writes its results, raw f32 one after
the other, to {dump}. A file OUT.json beside OUT.onnx describes the model to the harness as MODEL.json does.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

F = np.float32


class Quantizer:
    def __init__(self, model, form):
        self.model, self.form = model, form
        self.graph = model.graph
        self.constants = {t.name: numpy_helper.to_array(t) for t in self.graph.initializer}
        self.nodes, self.made, self.bytes = [], {}, {}
        fold_norms(self.graph, self.constants)
        drop_clips(self.graph, self.constants)

    def wanted(self):
        """The tensors whose ranges count: operands and results of quantized ops."""
        names = []
        for node in self.graph.node:
            if self.kind(node):
                names += [name for name in node.input if name not in self.constants]
                names += node.output
        return list(dict.fromkeys(names))

    def kind(self, node):
        if node.op_type in ("MatMul", "Gemm"):
            return "product" if node.input[1] in self.constants else None
        if self.form == "dynamic":
            return None
        if node.op_type == "Conv":
            return "product"
        images = any(n.op_type == "Conv" for n in self.graph.node)
        if images and node.op_type == "Add" and not set(node.input) & set(self.constants):
            return "sum"
        return "mean" if node.op_type == "GlobalAveragePool" else None

    def constant(self, name, array):
        if name not in self.made:
            self.made[name] = numpy_helper.from_array(np.ascontiguousarray(array).reshape(np.shape(array)), name)
        return name

    def add(self, op, inputs, output, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"n{len(self.nodes)}_{op}", domain=domain, **attributes))
        return output

    def scale_of(self, name):
        low, high = min(self.ranges[name][0], 0), max(self.ranges[name][1], 0)
        scale = F((high - low) / 255 or 1)
        zero = np.uint8(np.clip(np.round(-low / scale), 0, 255))
        return scale, zero

    def scale_names(self, name):
        scale, zero = self.scale_of(name)
        return [self.constant(name + "_scale", scale), self.constant(name + "_zero", zero)]

    def as_bytes(self, name):
        """The bytes of a tensor, quantized at its first use."""
        if name not in self.bytes:
            self.bytes[name] = self.add("QuantizeLinear", [name, *self.scale_names(name)], name + "_q")
        return self.bytes[name]

    def as_floats(self, name):
        return self.add("DequantizeLinear", [self.as_bytes(name), *self.scale_names(name)], f"{name}_f{len(self.nodes)}")

    def weights(self, name, axis):
        """Signed bytes with a scale for each index along `axis`."""
        w = self.constants[name]
        most = np.abs(w).max(axis=tuple(d for d in range(w.ndim) if d != axis))
        scales = F(np.where(most > 0, most, 1) / 127)
        shape = [-1 if d == axis else 1 for d in range(w.ndim)]
        values = np.int8(np.clip(np.round(w / scales.reshape(shape)), -127, 127))
        return values, scales

    def product(self, node):
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        x, y = node.input[0], node.output[0]
        conv, gemm = node.op_type == "Conv", node.op_type == "Gemm"
        if gemm and attributes.pop("transB", 0):
            self.constants[node.input[1]] = np.ascontiguousarray(self.constants[node.input[1]].T)
        axis = 0 if conv else self.constants[node.input[1]].ndim - 1
        values, scales = self.weights(node.input[1], axis)
        w = self.constant(y + "_w", values)
        w_scale = self.constant(y + "_w_scale", scales)
        w_zero = self.constant(y + "_w_zero", np.zeros(scales.shape, np.int8))
        bias = self.constants[node.input[2]] if len(node.input) > 2 else None
        if self.form == "dynamic":
            return self.dynamic(x, y, w, scales, bias)
        sum_scales = self.scale_of(x)[0] * scales
        if bias is not None:
            bias_name = self.constant(y + "_b", np.int32(np.round(bias / sum_scales)))
        if self.form == "qlinear":
            operands = [self.as_bytes(x), *self.scale_names(x), w, w_scale, w_zero, *self.scale_names(y)]
            if conv:
                operands += [bias_name] if bias is not None else []
                self.bytes[y] = self.add("QLinearConv", operands, y + "_q", **attributes)
            elif bias is None:
                self.bytes[y] = self.add("QLinearMatMul", operands, y + "_q")
            else:
                # The sum with the bias has no op of its own: it is a sum of floats.
                self.bytes[y + "_m"] = self.add("QLinearMatMul", operands, y + "_m")
                f = self.add("DequantizeLinear", [y + "_m", *self.scale_names(y)], y + "_mf")
                self.add("Add", [f, self.constant(y + "_bf", bias)], y)
                return
        else:
            f = self.as_floats(x)
            operands = [f, self.add("DequantizeLinear", [w, w_scale, w_zero], y + "_wf", axis=axis)]
            if bias is not None:
                b = self.add("DequantizeLinear", [bias_name, self.constant(y + "_b_scale", sum_scales),
                                                  self.constant(y + "_b_zero", np.zeros(scales.shape, np.int32))],
                             y + "_bf", axis=0)
                operands.append(b)
            self.add(node.op_type, operands, y + "_s", **attributes)
            self.bytes[y] = self.add("QuantizeLinear", [y + "_s", *self.scale_names(y)], y + "_q")
        self.add("DequantizeLinear", [self.bytes[y], *self.scale_names(y)], y)

    def dynamic(self, x, y, w, scales, bias):
        if x not in self.bytes:
            names = [x + "_q", x + "_scale", x + "_zero"]
            self.nodes.append(helper.make_node("DynamicQuantizeLinear", [x], names, name=f"n{len(self.nodes)}_dynamic"))
            self.bytes[x] = names
        q, scale, zero = self.bytes[x]
        w_zero = self.constant(y + "_w_zero1", np.int8(0))
        sums = self.add("MatMulInteger", [q, w, zero, w_zero], y + "_i")
        floats = self.add("Cast", [sums], y + "_if", to=onnx.TensorProto.FLOAT)
        both = self.add("Mul", [scale, self.constant(y + "_w_scale", scales)], y + "_scales")
        if bias is None:
            self.add("Mul", [floats, both], y)
        else:
            self.add("Add", [self.add("Mul", [floats, both], y + "_if2"), self.constant(y + "_bf", bias)], y)

    def run(self, ranges):
        self.ranges = ranges
        for node in self.graph.node:
            kind = self.kind(node)
            if kind == "product":
                self.product(node)
            elif kind:
                y = node.output[0]
                operands = [self.as_floats(name) for name in node.input]
                self.add(node.op_type, operands, y + "_s")
                self.bytes[y] = self.add("QuantizeLinear", [y + "_s", *self.scale_names(y)], y + "_q")
                self.add("DequantizeLinear", [self.bytes[y], *self.scale_names(y)], y)
            else:
                self.nodes.append(node)
        used = {name for node in self.nodes for name in node.input} | {t.name for t in self.graph.output}
        while any(not set(n.output) & used for n in self.nodes):
            self.nodes = [n for n in self.nodes if set(n.output) & used]
            used = {name for node in self.nodes for name in node.input} | {t.name for t in self.graph.output}
        kept = [numpy_helper.from_array(v, k) for k, v in self.constants.items()] + list(self.made.values())
        graph = helper.make_graph(self.nodes, self.graph.name, self.graph.input, self.graph.output,
                                  [t for t in kept if t.name in used])
        model = helper.make_model(graph, opset_imports=self.model.opset_import, producer_name="weir quantized.py")
        model.ir_version = self.model.ir_version
        return model


def fold_norms(graph, constants):
    """Batch norms after convolutions become part of these."""
    makers = {node.output[0]: node for node in graph.node}
    kept = []
    for node in graph.node:
        conv = makers.get(node.input[0]) if node.op_type == "BatchNormalization" else None
        if conv is None or conv.op_type != "Conv":
            kept.append(node)
            continue
        gamma, beta, mean, variance = (constants[name].astype(np.float64) for name in node.input[1:])
        epsilon = next((a.f for a in node.attribute if a.name == "epsilon"), 1e-5)
        factor = gamma / np.sqrt(variance + epsilon)
        w = constants[conv.input[1]]
        constants[conv.input[1]] = F(w * factor.reshape([-1] + [1] * (w.ndim - 1)))
        before = constants[conv.input[2]] if len(conv.input) > 2 else 0
        del conv.input[2:]
        conv.input.append(conv.input[1] + "_bias")
        constants[conv.input[2]] = F((before - mean) * factor + beta)
        conv.output[0] = node.output[0]
    del graph.node[:]
    graph.node.extend(kept)


def drop_clips(graph, constants):
    """An op that only clips the result of a convolution becomes part of its range, which then
    begins at 0."""
    makers = {node.output[0]: node for node in graph.node}
    kept = []
    for node in graph.node:
        conv = makers.get(node.input[0])
        clips = node.op_type == "Relu" or (node.op_type == "Clip" and constants[node.input[1]] == 0)
        if clips and conv is not None and conv.op_type == "Conv":
            conv.output[0] = node.output[0]
        else:
            kept.append(node)
    del graph.node[:]
    graph.node.extend(kept)


def calibrate(original, wanted, engine, meta):
    """The smallest and largest element of each tensor of the original model."""
    model = onnx.shape_inference.infer_shapes(original)
    infos = {i.name: i for i in [*model.graph.value_info, *model.graph.output, *model.graph.input]}
    inputs = {i.name for i in model.graph.input}
    asked = [name for name in wanted if name not in inputs]
    del model.graph.output[:]
    model.graph.output.extend(infos[name] for name in asked)
    shapes = [[d.dim_value for d in infos[name].type.tensor_type.shape.dim] for name in asked]
    with tempfile.TemporaryDirectory() as folder:
        path, dump = os.path.join(folder, "m.onnx"), os.path.join(folder, "dump")
        onnx.save(model, path)
        described = dict(meta, outputs=[dict(name=n, shape=s, img=False) for n, s in zip(asked, shapes)])
        json.dump(described, open(os.path.join(folder, "m.json"), "w"))
        subprocess.run(engine.format(onnx=path, dump=dump), shell=True, check=True, stdout=subprocess.DEVNULL)
        values = np.fromfile(dump, F)
    ranges = {name: (-0.5, 0.5) for name in inputs}
    for name, shape in zip(asked, shapes):
        count = int(np.prod(shape))
        ranges[name] = (float(values[:count].min()), float(values[:count].max()))
        values = values[count:]
    return ranges


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("form", choices=["qdq", "qlinear", "dynamic"])
    parser.add_argument("out")
    parser.add_argument("--engine", required=True)
    options = parser.parse_args()
    original = onnx.load(options.model)
    meta = json.load(open(options.model.replace(".onnx", ".json")))
    copy = onnx.ModelProto()
    copy.CopyFrom(original)
    quantizer = Quantizer(copy, options.form)
    ranges = {}
    if options.form != "dynamic":
        ranges = calibrate(original, quantizer.wanted(), options.engine, meta)
    quantized = quantizer.run(ranges)
    onnx.checker.check_model(quantized)
    onnx.save(quantized, options.out)
    meta["name"] = os.path.basename(options.out).removesuffix(".onnx")
    json.dump(meta, open(options.out.replace(".onnx", ".json"), "w"), indent=1)


main()

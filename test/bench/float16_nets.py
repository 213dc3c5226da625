#!/usr/bin/python3
"""float16_nets.py MODEL.onnx OUT.onnx: a model of f32 as one of f16, as converters make them.

Weights and constants are rounded, and casts to f32 become casts to f16; inputs and results stay f32, with a Cast beside
each. A file OUT.json beside OUT.onnx describes the model to the benchmark harness as MODEL.json does.
"""
import argparse
import json
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def halved(tensor):
    if tensor.data_type == TensorProto.FLOAT:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))


def floats(values):
    return {v.name for v in values if v.type.tensor_type.elem_type == TensorProto.FLOAT}


def halve(graph):
    for tensor in graph.initializer:
        halved(tensor)
    del graph.value_info[:]
    inputs, results = floats(graph.input), floats(graph.output)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                halved(attribute.t)
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.FLOAT16
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                if name in inputs | results:
                    names[i] = name + "_half"
    before = [helper.make_node("Cast", [n], [n + "_half"], to=TensorProto.FLOAT16) for n in sorted(inputs)]
    after = [helper.make_node("Cast", [n + "_half"], [n], to=TensorProto.FLOAT) for n in sorted(results)]
    nodes = [*before, *graph.node, *after]
    del graph.node[:]
    graph.node.extend(nodes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    model = onnx.load(arguments.model)
    halve(model.graph)
    onnx.save(model, arguments.out)
    description = arguments.model.with_suffix(".json")
    if description.exists():
        told = json.loads(description.read_text())
        told["name"] = arguments.out.stem
        arguments.out.with_suffix(".json").write_text(json.dumps(told))


main()

"""Writes a tree whose levels are a chain: chain.py LEVELS TARGETS.

Node i of a level has a leaf on one side and the next level on the other.
"""

import sys

levels, targets = int(sys.argv[1]), int(sys.argv[2])
count = 2 * levels + 1
leaves = range(levels, count)


def attribute(name, kind, field, values):
    listed = " ".join(f"{field}: {value}" for value in values)
    print(f'    attribute {{ name: "{name}" type: {kind} {listed} }}')


print(
    'ir_version: 8 opset_import { version: 17 } opset_import { domain: "ai.onnx.ml" version: 3 }\n'
    'graph {\n  input { name: "x" type { tensor_type { elem_type: 1 '
    "shape { dim { dim_value: 1 } dim { dim_value: 1 } } } } }\n"
    '  node { op_type: "TreeEnsembleRegressor" domain: "ai.onnx.ml" input: "x" output: "y"'
)
none = [0] * len(leaves)
attribute("n_targets", "INT", "i", [targets])
attribute("nodes_treeids", "INTS", "ints", [0] * count)
attribute("nodes_nodeids", "INTS", "ints", range(count))
attribute("nodes_featureids", "INTS", "ints", [0] * count)
attribute("nodes_modes", "STRINGS", "strings", ['"BRANCH_LEQ"'] * levels + ['"LEAF"'] * len(leaves))
attribute("nodes_values", "FLOATS", "floats", [0.5] * count)
attribute("nodes_truenodeids", "INTS", "ints", [*leaves[:levels], *none])
attribute("nodes_falsenodeids", "INTS", "ints", [*range(1, levels), count - 1, *none])
attribute("target_treeids", "INTS", "ints", [0])
attribute("target_nodeids", "INTS", "ints", [count - 1])
attribute("target_ids", "INTS", "ints", [0])
attribute("target_weights", "FLOATS", "floats", [1])
print('  }\n  output { name: "y" }\n}')

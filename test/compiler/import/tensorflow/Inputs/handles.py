"""handles.py KIND N: a text graph in which N nodes, or N nested calls, pass on a table or a
variable."""

import sys

KIND, N = sys.argv[1], int(sys.argv[2])


def node(name, op, *inputs, **attributes):
    edges = " ".join(f'input: "{edge}"' for edge in inputs)
    texts = " ".join(f'attr {{ key: "{k}" value {{ {v} }} }}' for k, v in attributes.items())
    print(f'node {{ name: "{name}" op: "{op}" {edges} {texts} }}')


LONG = "type: DT_INT64"


def const(name, size, value):
    shape = f"dim {{ size: {size} }}" if size else ""
    tensor = f"tensor {{ dtype: DT_INT64 tensor_shape {{ {shape} }} int64_val: {value} }}"
    node(name, "Const", dtype=LONG, value=tensor)


def fill(name, table, keys, values):
    node(name, "LookupTableImportV2", table, keys, values, Tin=LONG, Tout=LONG)


const("one", 1, 3)
if KIND == "variable":
    node("handle", "VariableV2", dtype=LONG, shape="shape { dim { size: 1 } }")
    last = "handle"
    for i in range(N):
        node(f"a{i}", "Assign", last, "one", T=LONG)
        last = f"a{i}"
    node("y", "Identity", last, T=LONG)
else:
    node("handle", "HashTableV2", key_dtype=LONG, value_dtype=LONG)
    const("default", 0, 7)
    node("x", "Placeholder", dtype=LONG, shape="shape { dim { size: 4 } }")
    node("y", "LookupTableFindV2", "handle", "x", "default", Tin=LONG, Tout=LONG)
if KIND == "table":
    last = "handle"
    for i in range(N):
        node(f"i{i}", "Identity", last, T="type: DT_RESOURCE")
        last = f"i{i}"
    for i in range(N):
        fill(f"f{i}", last, "one", "one")
if KIND == "constants":
    for i in range(N):
        const(f"k{i}", 1, 5)
        const(f"v{i}", 1, 6)
        fill(f"f{i}", "handle", f"k{i}", f"v{i}")
if KIND == "entries":
    const("many", N, 4)
    fill("f", "handle", "many", "many")
if KIND == "calls":
    # Each calls the next one twice, with two of its arguments exchanged in one call.
    most = 200
    for i in range(1, most):
        const(f"c{i}", 1, i)
    node("call", "f0", "handle", *(f"c{i}" for i in range(1, most)))
    print("library {")
    names = [f"a{i}" for i in range(most)]
    for level in range(N):
        print(f'function {{ signature {{ name: "f{level}" input_arg {{ name: "a0" type: DT_RESOURCE }}')
        print(*(f'input_arg {{ name: "{name}" type: DT_INT64 }}' for name in names[1:]), "}")
        others = list(names)
        others[level + 1], others[level + 2] = others[level + 2], others[level + 1]
        for call, given in (("x", names), ("y", others)):
            edges = " ".join(f'input: "{name}"' for name in given)
            print(f'node_def {{ name: "{call}" op: "f{level + 1}" {edges} }}')
        print("}")
    print(f'function {{ signature {{ name: "f{N}" input_arg {{ name: "a0" type: DT_RESOURCE }}')
    print(*(f'input_arg {{ name: "{name}" type: DT_INT64 }}' for name in names[1:]), "}")
    print('node_def { name: "z" op: "LookupTableImportV2" input: "a0" input: "a1" input: "a2" } }')
    print("}")

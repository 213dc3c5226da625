"""Tests lookup tables of integers against Python's dictionaries: present and absent keys, all
types of keys and values, and tables with a search or a subtraction."""

import itertools

import numpy as np
from harness import Graph, Text, main
from opened import opened

random = np.random.default_rng(29)
I, L, F = np.int32, np.int64, np.float32
LEAST, MOST = np.iinfo(L).min, np.iinfo(L).max


def table(g, name, keys, values, fill="LookupTableImportV2", version="V2"):
    how = {"key_dtype": keys.dtype, "value_dtype": values.dtype}
    made = g.op("HashTable" + version, shared_name=name, **how)
    how = {"Tin": keys.dtype, "Tout": values.dtype}
    if fill.startswith("Initialize"):
        how = {"Tkey": keys.dtype, "Tval": values.dtype}
    g.op(fill, made, g.constant(keys), g.constant(values), outputs=0, **how)
    return made


def look_up(g, made, keys, values, query, default, version="V2"):
    """Adds a lookup of `query` with a dictionary's result as the reference."""
    entries = dict(zip(keys.tolist(), values.tolist()))
    flat = [entries.get(key, default.item()) for key in query.ravel().tolist()]
    how = {"Tin": keys.dtype, "Tout": values.dtype}
    found = g.op("LookupTableFind" + version, made, g.input(query), g.constant(default), **how)
    g.expect(found, np.array(flat, values.dtype).reshape(query.shape), type=values.dtype)
    size = g.op("LookupTableSize" + version, made)
    g.expect(size, np.int64(len(entries)), type=L)


def values_of(count, type):
    if type == np.bool_:
        return random.random(count) < 0.5
    return random.integers(0, 100, count).astype(type)


def types():
    """Scattered keys, in no order, and queries of all ranks."""
    g = Graph()
    kinds = [F, np.float64, np.float16, I, L, np.uint8, np.int8, np.bool_]
    for i, (key, value) in enumerate(itertools.product([I, L], kinds)):
        keys = random.permutation(np.arange(-40, 60, 3)).astype(key)
        values = values_of(len(keys), value)
        made = table(g, f"t{i}", keys, values)
        for shape in ((), (7,), (3, 5), (0,), (2, 0, 3)):
            query = random.integers(-45, 65, shape).astype(key)
            look_up(g, made, keys, values, np.asarray(query), np.asarray(values_of(1, value)[0]))
    return g


def ends():
    """Keys at the limits of their type: single, consecutive and far apart."""
    g = Graph()
    i = 0
    for key in (I, L):
        low, high = np.iinfo(key).min, np.iinfo(key).max
        query = np.array([low, low + 1, low + 2, -2, -1, 0, 1, 2, high - 2, high - 1, high], key)
        for keys in ([low], [high], [0], [low, high], [low, low + 1], [high, high - 1],
                     [low, 0, high], [-1, 0, 1], [1, 0, -1, -2], [2**24 + 1, 2**24], []):  # fmt: skip
            keys = np.array(keys, key)
            values = np.arange(1, len(keys) + 1).astype(F)
            look_up(g, table(g, f"t{i}", keys, values), keys, values, query, F(-1))
            i += 1
    keys = np.array([2**53 + 1, 2**53 + 3, 2**62, LEAST + 5], L)
    query = np.array([2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3, 2**62 + 1, 2**62, LEAST + 5], L)
    values = np.array([MOST, LEAST, 2**53 + 1, 3], L)
    look_up(g, table(g, "far", keys, values), keys, values, query, L(2**60 + 1))
    return g


def many():
    """More entries than a text constant of a graph would have."""
    g = Graph(fold=False)
    for name, keys in (("side by side", np.arange(-5000, 25000)),
                       ("scattered", random.choice(10**12, 30000, replace=False))):  # fmt: skip
        keys = random.permutation(keys).astype(L)
        values = random.normal(size=len(keys)).astype(F)
        query = np.concatenate([random.choice(keys, 3000), random.integers(-9999, 99999, 1001)])
        look_up(g, table(g, name, keys, values), keys, values, query, F(np.inf))
    return g


def versions():
    """The ops of both versions; a repeated key; two nodes of one table."""
    g = Graph()
    keys, values = np.array([4, 1, 9, 4, 1], L), np.array([0.5, 2, 3, 0.5, 2], F)
    query = np.array([[9, 1], [4, 5]], L)
    for i, (fill, version) in enumerate(itertools.product(
            ["LookupTableImport", "InitializeTable"], ["", "V2"])):  # fmt: skip
        made = table(g, f"t{i}", keys, values, fill + version, version)
        look_up(g, made, keys, values, query, F(7), version)
        how = {"key_dtype": L, "value_dtype": F}
        same = g.op("HashTable" + version, shared_name=f"t{i}", **how)
        look_up(g, same, keys, values, query, F(8), version)
    return g


def dynamic_sizes():
    """The number of keys is known only at run time: beyond them keys are arbitrary."""
    g = Graph()
    for keys in (np.array([3, -8, 12, 500], L), np.array([7, 6, 5], L)):
        values = values_of(len(keys), F)
        entries = dict(zip(keys.tolist(), values.tolist()))
        made = table(g, f"t{len(keys)}", keys, values)
        how = {"Tin": L, "Tout": F}
        for query, dims in ((np.array([[3, 5, 6], [500, 0, -8]], L), (0,)),
                            (np.array([[7], [12], [4]], L), (0, 1)), (np.array([[12, 7]], L), (1,))):  # fmt: skip
            x = opened(g, query, dims)
            found = g.op("LookupTableFindV2", made, x, g.constant(F(-3)), **how)
            flat = [entries.get(key, -3) for key in query.ravel().tolist()]
            g.expect(found, np.array(flat, F).reshape(query.shape))
    return g


def node(name, op, inputs="", **attributes):
    """A function's node as text."""
    edges = " ".join(f'input: "{edge}"' for edge in inputs.split())
    pairs = {key: Graph.attribute(value) for key, value in attributes.items()}
    texts = " ".join(f'attr {{ key: "{k}" value {{ {v} }} }}' for k, v in pairs.items())
    return f'name: "{name}" op: "{op}" {edges} {texts}'


def control_flow():
    """Lookups in loops and branches: of a table that the function names, and of a table
    argument."""
    g = Graph()
    scalar = "tensor {{ dtype: DT_INT64 tensor_shape {{ }} int64_val: {} }}"
    ten = node("ten", "Const", dtype=L, value=Text(scalar.format(10)))
    minus = node("minus", "Const", dtype=L, value=Text(scalar.format(-1)))
    keys, values = np.arange(0, 9, 2, L), np.array([4, 11, 8, 13, 2], L)
    made = table(g, "links", keys, values)
    below = g.function("below", ["x: DT_INT64"], "less:z:0", ten,
                       node("less", "Less", "x ten:output:0", T=L), out="DT_BOOL")  # fmt: skip
    find = node("find", "LookupTableFindV2", "table:table_handle:0 x ten:output:0", Tin=L, Tout=L)
    same = node("table", "HashTableV2", shared_name="links", key_dtype=L, value_dtype=L)
    follow = g.function("follow", ["x: DT_INT64"], "find:values:0", ten, same, find, out="DT_INT64")
    for start, end in ((0, 11), (2, 11), (6, 13), (5, 10), (12, 12)):
        g.expect(g.op("While", g.input(L(start)), cond=below, body=follow, T=[L]), end)
    given = ["table: DT_RESOURCE", "x: DT_INT64"]
    yes = g.function("yes", given, "find:values:0", ten, find.replace(":table_handle:0", ""),
                     out="DT_INT64")  # fmt: skip
    no = g.function("no", given, "find:values:0", minus,
                    find.replace(":table_handle:0", "").replace("ten:", "minus:"),
                    out="DT_INT64")  # fmt: skip
    for choice, x, y in ((True, 4, 8), (True, 5, 10), (False, 8, 2), (False, 7, -1)):
        how = {"then_branch": yes, "else_branch": no, "Tcond": np.bool_, "Tout": [L]}
        g.expect(g.op("If", g.input(np.bool_(choice)), made, g.input(L(x)),
                      Tin=["DT_RESOURCE", L], **how), y)  # fmt: skip
    return g


main(types, ends, many, versions, dynamic_sizes, control_flow)

"""Tests nodes that pass tensors on, lists of rows, and random choices by seeds."""

import numpy as np
from harness import Graph, Text, main

random = np.random.default_rng(17)
F = np.float32


def handed_on():
    g = Graph()
    x = F([[1, -2], [3, 4]])
    for op in ("_EagerConst", "Copy", "CopyHost", "DebugIdentity", "DebugIdentityV2",
               "DebugIdentityV3"):  # fmt: skip
        g.expect(g.op(op, g.input(x), T=F), x)
    for op in ("_ArrayToList", "_ListToArray"):
        made = g.op(op, g.input(x), g.input(x[0]), outputs=2, N=2, T=F)
        g.expect(made[0], x)
        g.expect(made[1], x[0])
    shape = Text("shape { dim { size: 2 } dim { size: 3 } }")
    fake = g.op("FakeParam", dtype=F, shape=shape)
    g.expect(g.op("Shape", fake), [2, 3])
    one = g.input(np.int32(1))
    for names, at in ((["GPU", "CPU"], 1), (["CPU"], 0), (["GPU"], 1)):
        index = g.op("DeviceIndex", device_names=names)
        g.expect(g.op("AddV2", index, one), at + 1)
    for kind in ("", "Host"):
        sent = g.op("Neg", g.input(x))
        g.op(f"_{kind}Send", sent, tensor_name=f"edge{kind}", T=F)
        for variant in (0, 1):
            # Fed and folded values have one name each.
            g.nodes[-1 - variant] = g.nodes[-1 - variant].replace(
                f'"edge{kind}"', f'"edge{kind}{variant}"'
            )
        made = g.op(f"_{kind}Recv", tensor_name=f"edge{kind}1", tensor_type=F)
        g.expect(made, -x)
    return g


def list_of(g, op, *operands, **attributes):
    made = g.op(op, *operands, **attributes)
    shape = g.constant(np.int32([-1]))
    return g.op("TensorListStack", made, shape, element_dtype=F)


def lists():
    g = Graph()
    x = random.standard_normal((6, 3)).astype(F)
    rows, shape = g.input(x), g.constant(np.int32([-1, 3]))
    made = g.op("TensorListSplit", rows, shape, g.constant(np.int64([2, 2, 2])), element_dtype=F)
    made = g.op("TensorListStack", made, shape, element_dtype=F)
    g.expect(made, x.reshape(3, 2, 3))
    shape, two = g.constant(np.int32([3])), g.input(x[:2])
    indices = g.constant(np.int32([3, 1]))
    wanted = np.zeros((5, 3), F)
    wanted[[3, 1]] = x[:2]
    made = list_of(g, "TensorListScatter", two, indices, shape, element_dtype=F)
    g.expect(made, wanted[:4])
    made = list_of(g, "TensorListScatterV2", two, indices, shape, g.constant(np.int32(5)),
                   element_dtype=F)  # fmt: skip
    g.expect(made, wanted)
    old = g.op("TensorListFromTensor", rows, shape, element_dtype=F)
    made = list_of(g, "TensorListScatterIntoExistingList", old, two, indices, element_dtype=F)
    wanted = x.copy()
    wanted[[3, 1]] = x[:2]
    g.expect(made, wanted)
    return g


def choices():
    """The position of a random number in the prefix sums of the classes' probabilities. Each class
    occurs in proportion to its probability, with the same choices for one seed."""
    g = Graph()
    logits, count = np.log(F([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])), 4000
    seeds = g.input(np.int32([3, 5])), g.input(np.int32([3, 6]))
    made = [g.op("StatelessMultinomial", g.input(logits), g.constant(np.int32(count)), seed,
                 output_dtype=np.int32) for seed in seeds]  # fmt: skip
    again = g.op("StatelessMultinomial", g.input(logits), g.constant(np.int32(count)), seeds[0],
                 output_dtype=np.int32)  # fmt: skip
    axes = g.constant(np.int32([1]))
    shares = np.exp(logits)
    for choice in made:
        for c in range(3):
            hits = g.op("Cast", g.op("Equal", choice, g.constant(np.int32(c))), DstT=F)
            g.expect(g.op("Mean", hits, axes), shares[:, c], atol=0.04)
    same = g.op("Equal", made[0], again)
    all = g.op("All", same, g.constant(np.int32([0, 1])))
    g.expect(all, True)
    other = g.op("All", g.op("Equal", *made), g.constant(np.int32([0, 1])))
    g.expect(other, False)
    return g


if __name__ == "__main__":
    main(handed_on, lists, choices)

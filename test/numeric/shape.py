"""Tests transposes, slices, pads, joins, blocks and diagonals."""

import numpy as np
from harness import Graph, bf16, main

random = np.random.default_rng(5)
TYPES = [np.float32, np.float64, np.float16, np.int8, np.int64, np.uint8, np.bool_, "bf16"]


def values(shape, type=np.float32):
    made = random.integers(0, 2 if type is np.bool_ else 100, shape)
    return bf16(made) if type == "bf16" else made.astype(type)


def shapes():
    g = Graph()
    x = g.input(values((2, 3, 4)))
    i = lambda numbers: g.constant(np.int32(numbers))
    g.expect(g.op("Shape", x), np.int32([2, 3, 4]))
    g.expect(g.op("Size", x), np.int32(24))
    g.expect(g.op("Rank", x), np.int32(3))
    g.expect(g.op("Reshape", x, i([4, -1])), x.value.reshape(4, 6))
    g.expect(g.op("ExpandDims", x, i(-2)), x.value[:, :, None])
    g.expect(g.op("Squeeze", g.op("ExpandDims", x, i(1)), squeeze_dims=[1]), x.value)
    g.expect(g.op("Tile", x, i([2, 1, 3])), np.tile(x.value, (2, 1, 3)))
    g.expect(g.op("BroadcastTo", x, i([5, 2, 3, 4])), np.broadcast_to(x.value, (5, 2, 3, 4)))
    g.expect(g.op("Fill", i([2, 3]), g.input(np.float32(7))), np.full((2, 3), np.float32(7)))
    g.expect(g.op("ZerosLike", x), np.zeros_like(x.value))
    g.expect(g.op("OnesLike", x), np.ones_like(x.value))
    g.expect(g.op("BroadcastArgs", i([2, 1]), i([3])), np.int32([2, 3]))
    g.expect(g.op("Range", i(3), i(12), i(4)), np.arange(3, 12, 4, dtype=np.int32))
    g.expect(g.op("Range", i(3), i(-2), i(-2)), np.arange(3, -2, -2, dtype=np.int32))
    f = lambda number: g.constant(np.float32(number))
    g.expect(g.op("Range", f(0), f(1), f(0.3)), np.float32([0, 0.3, 0.6, 0.9]), ulp=2)
    g.expect(g.op("LinSpace", f(1), f(2), i(5)), np.linspace(1, 2, 5, dtype=np.float32), ulp=1)
    return g


def transposes():
    g = Graph()
    for type in TYPES:
        x = g.input(values((2, 3, 4), type))
        for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1], [1, 2, 0]):
            g.expect(g.op("Transpose", x, g.constant(np.int32(order))),
                     x.value.transpose(order))
        g.expect(g.op("ReverseV2", x, g.constant(np.int32([-1, 0]))), x.value[::-1, :, ::-1])
        g.expect(g.op("Roll", x, g.constant(np.int32([1, -5])), g.constant(np.int32([2, 1]))),
                 np.roll(x.value, (1, -5), (2, 1)))
    return g


def turned_sums():
    """Arithmetic on transposed operands, in whole and partial transpose blocks."""
    g = Graph()
    random = np.random.default_rng(3)
    for shape, order in [
        ((32, 16), (1, 0)),
        ((37, 50), (1, 0)),
        ((2, 7, 9, 21), (0, 3, 1, 2)),
        ((2, 20, 6, 7), (0, 2, 3, 1)),
        ((5, 4, 33), (2, 0, 1)),
    ]:
        x = np.float32(random.standard_normal(shape))
        y, z = (np.float32(random.standard_normal(x.transpose(order).shape)) for _ in range(2))
        each = np.float32(random.standard_normal((*y.shape[:-1], 1)))
        turn = g.constant(np.int32(order))
        turned = g.op("Transpose", g.input(x), turn)
        sum = g.op("Relu", g.op("AddV2", turned, g.input(y)))
        scaled = g.op("Mul", sum, g.input(each))
        g.expect(scaled, np.maximum(x.transpose(order) + y, 0) * each, rtol=1e-6)
        # A transposed sum is the divisor; its lanes beyond the end belong to no element.
        other = g.op("Transpose", g.op("Exp", g.input(x)), turn)
        g.expect(g.op("RealDiv", g.input(z), other), z / np.exp(x.transpose(order)), rtol=1e-5)
    return g


def shuffles():
    """A channel shuffle: dimensions are split, exchanged and joined, by rows or planes."""
    g = Graph()
    for type in (np.float32, np.int32):
        for groups, channels in ((2, 40), (4, 36), (4, 13), (3, 24), (8, 16)):
            x = values((2, 5, groups * channels), type)
            split = g.op("Reshape", g.input(x), g.constant(np.int32([2, 5, groups, channels])))
            turned = g.op("Transpose", split, g.constant(np.int32([0, 1, 3, 2])))
            joined = g.op("Reshape", turned, g.constant(np.int32(x.shape)))
            dealt = x.reshape(2, 5, groups, channels).transpose(0, 1, 3, 2)
            g.expect(joined, dealt.reshape(x.shape))
            planes = g.op("Transpose", g.input(x), g.constant(np.int32([0, 2, 1])))
            split = g.op("Reshape", planes, g.constant(np.int32([2, groups, channels, 5])))
            turned = g.op("Transpose", split, g.constant(np.int32([0, 2, 1, 3])))
            joined = g.op("Reshape", turned, g.constant(np.int32([2, groups * channels, 5])))
            back = g.op("Transpose", joined, g.constant(np.int32([0, 2, 1])))
            g.expect(g.op("Neg", back), -dealt.reshape(x.shape))
    return g


def joins():
    g = Graph()
    for type in TYPES:
        a, b = g.input(values((2, 3), type)), g.input(values((2, 5), type))
        g.expect(g.op("ConcatV2", a, b, a, g.constant(np.int32(-1)), N=3),
                 np.concatenate([a.value, b.value, a.value], -1))
        g.expect(g.op("Pack", a, a, N=2, axis=1), np.stack([a.value, a.value], 1))
        for part, want in zip(g.op("Unpack", a, outputs=3, num=3, axis=1), a.value.T):
            g.expect(part, want)
        one, two = g.op("SplitV", b, g.constant(np.int32([2, -1])), g.constant(np.int32(1)),
                        outputs=2, num_split=2)
        g.expect(one, b.value[:, :2])
        g.expect(two, b.value[:, 2:])
        for part, want in zip(g.op("Split", g.constant(np.int32(1)), a, outputs=3, num_split=3),
                              np.split(a.value, 3, 1)):
            g.expect(part, want)
    return g


def slices():
    g = Graph()
    x = g.input(values((4, 5, 6)))
    i = lambda numbers: g.constant(np.int32(numbers))
    take = lambda begin, end, stride, **masks: g.op(
        "StridedSlice", x, i(begin), i(end), i(stride), **masks)
    v = x.value
    g.expect(g.op("Slice", x, i([1, 0, 2]), i([2, -1, 3])), v[1:3, :, 2:5])
    g.expect(take([1, 0], [3, 4], [1, 2]), v[1:3, 0:4:2])
    g.expect(take([-1], [-4], [-1]), v[-1:-4:-1])
    g.expect(take([3, 4, 5], [0, 0, 0], [-1, -2, -3], end_mask=5), v[::-1, 4:0:-2, ::-3])
    g.expect(take([0, 1], [0, 4], [1, 2], ellipsis_mask=1), v[..., 1:4:2])
    g.expect(take([2, 0, 3], [3, 0, 4], [1, 1, 1], shrink_axis_mask=5, ellipsis_mask=2),
             v[2, ..., 3])
    g.expect(take([0, 0, 1], [0, 0, 2], [1, 1, 1], new_axis_mask=2, begin_mask=1, end_mask=1),
             v[:, None, 1:2])
    g.expect(take([100], [-100], [-1]), v[100:-100:-1])
    g.expect(take([3], [1], [1]), v[3:1])
    dy = g.input(values((2, 2, 6)))
    want = np.zeros_like(v)
    want[3:0:-2, 1:5:2] = dy.value
    g.expect(g.op("StridedSliceGrad", i([4, 5, 6]), i([3, 1]), i([0, 5]), i([-2, 2]), dy), want)
    # The negation of this stride overflows.
    least = lambda *numbers: g.constant(np.int64(numbers))
    last = g.input(values((1, 5, 6)))
    want = np.zeros_like(v)
    want[3:] = last.value
    g.expect(g.op("StridedSliceGrad", least(4, 5, 6), least(3), least(-9), least(-(2**63)), last,
                  Index="DT_INT64"), want)  # fmt: skip
    part = g.input(values((2, 1, 6)))
    want = v.copy()
    want[3:0:-2, 1:5:2] = part.value
    g.expect(g.op("TensorStridedSliceUpdate", x, i([3, 1]), i([0, 5]), i([-2, 2]), part), want)
    want = v.copy()
    want[1:3, 2:3] = part.value
    g.expect(g.op("TensorStridedSliceUpdate", x, i([1, 2]), i([3, 3]), i([1, 1]), part), want)
    want = v.copy()
    want[3, :, -2] = 7
    g.expect(g.op("TensorStridedSliceUpdate", x, i([3, 0, -2]), i([0, 0, 0]), i([1, 1, 1]), g.input(np.float32(7)),
                  shrink_axis_mask=5, begin_mask=2, end_mask=2), want)  # fmt: skip
    return g


def updates_at_run_time():
    """Ranges that are known only at run time have the size of the update."""
    g = Graph()
    x, at = g.input(values((4, 5))), g.input(np.int64(1))
    part, row = g.input(values((2, 1))), g.input(values((5,)))
    const = lambda *numbers: g.constant(np.int64(numbers))
    begin = g.op("Pack", at, g.constant(np.int64(-2)), N=2)
    end = g.op("Pack", g.op("AddV2", at, g.constant(np.int64(2))), g.constant(np.int64(4)), N=2)
    want = x.value.copy()
    want[1:3, -2:4] = part.value
    g.expect(g.op("TensorStridedSliceUpdate", x, begin, end, const(1, 1), part, Index="DT_INT64"), want)
    want = x.value.copy()
    want[-1] = row.value
    last = g.op("Pack", g.op("Neg", at), N=1)
    g.expect(g.op("TensorStridedSliceUpdate", x, last, const(4), const(1), row, end_mask=1, Index="DT_INT64"), want)
    g.expect(g.op("TensorStridedSliceUpdate", x, last, const(0), const(1), row, shrink_axis_mask=1, Index="DT_INT64"), want)
    return g


def wrong_update():
    g = Graph(fold=False)
    x, at = g.input(values((4, 5))), g.input(np.int64([3]))
    end = g.op("AddV2", at, g.constant(np.int64([2])))
    g.expect(g.op("TensorStridedSliceUpdate", x, at, end, g.constant(np.int64([1])), g.input(values((2, 5))),
                  Index="DT_INT64"), x.value)  # fmt: skip
    g.fails("a range that only the run knows is not of size 2")
    return g


def starts_at_run_time():
    g = Graph()
    x, at = g.input(values((4, 5))), g.input(np.int32(2))
    begin = g.op("Pack", at, g.constant(np.int32(0)), N=2)
    end = g.op("Pack", g.op("Add", at, g.constant(np.int32(1))), g.constant(np.int32(5)), N=2)
    g.expect(g.op("StridedSlice", x, begin, end, g.constant(np.int32([1, 2])),
                  shrink_axis_mask=1), x.value[2, ::2])
    g.expect(g.op("Slice", x, begin, g.constant(np.int32([2, 3]))), x.value[2:4, :3])
    g.expect(g.op("GatherV2", x, g.op("Neg", g.op("Sub", at, g.constant(np.int32(3)))),
                  g.constant(np.int32(0))), x.value[1])
    return g


def start_out_of_range():
    g = Graph(fold=False)
    x, at = g.input(values((4, 5))), g.input(np.int32([3, 0]))
    g.op("Slice", x, at, g.constant(np.int32([2, 3])))
    g.expect(g.op("Slice", x, at, g.constant(np.int32([2, 3]))), x.value[2:4, :3])
    g.fails("index is not in")
    return g


def pads():
    g = Graph()
    for type in TYPES:
        x = g.input(values((3, 4), type))
        margins = [[1, 2], [0, 3]]
        if type not in (np.bool_,):
            g.expect(g.op("Pad", x, g.constant(np.int32(margins))), np.pad(x.value, margins))
        inner = [[2, 1], [3, 0]]
        g.expect(g.op("MirrorPad", x, g.constant(np.int32(inner)), mode="REFLECT"),
                 np.pad(x.value, inner, mode="reflect"))
        g.expect(g.op("MirrorPad", x, g.constant(np.int32(inner)), mode="SYMMETRIC"),
                 np.pad(x.value, inner, mode="symmetric"))
    dy = g.input(values((6, 6)))
    want = dy.value[2:5, 1:5].copy()
    want[1:3] += dy.value[1::-1, 1:5]
    want[1] += dy.value[5, 1:5]
    left, right = dy.value[:, :1], dy.value[:, 5:]
    rows = lambda c: c[2:5] + np.concatenate([c[:1] * 0, c[1:2] + c[5:6], c[:1]])
    want[:, 1:2] += rows(left)
    want[:, 2:3] += rows(right)
    g.expect(g.op("MirrorPadGrad", dy, g.constant(np.int32([[2, 1], [1, 1]])), mode="REFLECT"),
             want)
    x = g.input(values((3,)))
    g.expect(g.op("PadV2", x, g.constant(np.int32([[1, 0]])), g.input(np.float32(9))),
             np.pad(x.value, [[1, 0]], constant_values=9))
    return g


def blocks():
    g = Graph()
    x = g.input(values((2, 4, 6, 3)))
    v = x.value
    space = g.op("SpaceToBatchND", x, g.constant(np.int32([2, 3])),
                 g.constant(np.int32([[1, 1], [0, 3]])))
    padded = np.pad(v, [[0, 0], [1, 1], [0, 3], [0, 0]])
    batches = padded.reshape(2, 3, 2, 3, 3, 3).transpose(2, 4, 0, 1, 3, 5).reshape(12, 3, 3, 3)
    g.expect(space, batches)
    g.expect(g.op("BatchToSpaceND", space, g.constant(np.int32([2, 3])),
                  g.constant(np.int32([[1, 1], [0, 3]]))), v)
    depth = v.reshape(2, 2, 2, 3, 2, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 2, 3, 12)
    deep = g.op("SpaceToDepth", x, block_size=2)
    g.expect(deep, depth)
    g.expect(g.op("DepthToSpace", deep, block_size=2), v)
    patches = [v[:, a:a + 3:2, b:b + 5:2] for a in range(2) for b in range(2)]
    g.expect(g.op("ExtractImagePatches", x, ksizes=[1, 2, 2, 1], strides=[1, 2, 2, 1],
                  rates=[1, 1, 1, 1], padding="VALID"), np.concatenate(patches, 3))
    return g


def diagonals():
    g = Graph()
    x, d = g.input(values((2, 3, 4))), g.input(values((2, 3)))
    i = lambda numbers: g.constant(np.int32(numbers))
    diag = np.stack([np.diag(row) for row in d.value])
    g.expect(g.op("MatrixDiag", d), diag)
    g.expect(g.op("MatrixDiagPart", x), np.stack([np.diag(m) for m in x.value]))
    put = x.value.copy()
    put[:, range(3), range(3)] = d.value
    g.expect(g.op("MatrixSetDiag", x, d), put)
    band = np.stack([np.triu(np.tril(m, 2), -1) for m in x.value])
    g.expect(g.op("MatrixBandPart", x, i(1), i(2)), band)
    g.expect(g.op("MatrixBandPart", x, i(-1), i(0)), np.tril(x.value))
    g.expect(g.op("Diag", g.op("Reshape", d, i([6]))), np.diag(d.value.ravel()))
    g.expect(g.op("DiagPart", g.op("Diag", d)), d.value)
    # The band has two diagonals, and the upper one is padded at its left.
    m = x.value
    packed = np.stack([[[p[0, 1], p[1, 2], p[2, 3]], [p[0, 0], p[1, 1], p[2, 2]]] for p in m])
    g.expect(g.op("MatrixDiagPartV3", x, i([0, 1]), g.constant(np.float32(0)), align="RIGHT_LEFT"), packed)
    low = np.stack([[[p[0, 0], p[1, 1], p[2, 2]], [p[1, 0], p[2, 1], -1]] for p in m])
    g.expect(g.op("MatrixDiagPartV3", x, i([-1, 0]), g.constant(np.float32(-1)), align="RIGHT_LEFT"), low)
    g.expect(g.op("MatrixSetDiagV3", x, g.op("MatrixDiagPartV3", x, i([-1, 1]), g.constant(np.float32(0)),
                                             align="LEFT_RIGHT"), i([-1, 1]), align="LEFT_RIGHT"), m)
    return g


def empty():
    g = Graph()
    x = g.input(values((2, 0, 3)))
    i = lambda numbers: g.constant(np.int32(numbers))
    g.expect(g.op("Transpose", x, i([2, 0, 1])), np.zeros((3, 2, 0), np.float32))
    g.expect(g.op("ReverseV2", x, i([0])), x.value)
    g.expect(g.op("Reshape", x, i([2, 0, -1])), np.zeros((2, 0, 3), np.float32))
    g.expect(g.op("Pad", x, i([[0, 0], [1, 1], [0, 0]])), np.zeros((2, 2, 3), np.float32))
    g.expect(g.op("ConcatV2", x, x, i(0), N=2), np.zeros((4, 0, 3), np.float32))
    return g


main(shapes, transposes, turned_sums, shuffles, joins, slices, starts_at_run_time, updates_at_run_time,
     wrong_update, start_out_of_range, pads, blocks, diagonals, empty)

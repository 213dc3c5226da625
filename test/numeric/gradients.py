"""Tests every derivative rule against finite differences of the op itself.

With --covers, checks only that each op with a rule has a case.
"""

import pathlib
import re
import sys

import numpy as np
from differences import Case, Library, check, distinct, normal, tensor, uniform

ROOT = pathlib.Path(__file__).resolve().parents[2]


def unary(op, x, attributes=""):
    return Case(f"%r = graph.{op} %0{attributes} : {{0}}", np.shape(x), x)


def binary(op, x, y, wrt=None):
    return Case(f"%r = graph.{op} %0, %1 : {{0}}", np.shape(x), x, y, wrt=wrt)


def elementwise():
    wide, above = distinct(2, 3), uniform(0.5, 2, 2, 3)
    within = uniform(-0.8, 0.8, 2, 3)
    cases = [unary(op, wide) for op in
             ("abs neg square relu relu6 exp expm1 sin cos sinh cosh tanh atan asinh sigmoid "
              "softplus softsign elu selu erf erfc sign floor ceil round trunc").split()]
    cases += [unary(op, above) for op in
              "reciprocal log log1p sqrt rsqrt lgamma digamma".split()]
    cases += [unary(op, within) for op in "tan asin acos atanh".split()]
    cases += [unary("acosh", above + 1),
              unary("leaky_relu", wide, " {alpha = 2.000000e-01 : f64}")]
    x, y = distinct(2, 3), distinct(2, 3)
    cases += [binary(op, x, y) for op in
              "add sub mul maximum minimum squared_difference atan2".split()]
    cases += [binary(op, x, uniform(0.6, 0.9, 2, 3)) for op in
              "div div_no_nan mul_no_nan xdivy mod floor_mod floor_div".split()]
    cases += [binary(op, x, above) for op in ("xlogy", "xlog1py")]
    cases += [binary("pow", above, y),
              Case("%r = graph.clamp %0, %1, %2 : {0}", (2, 3), x, np.full((2, 3), -0.6),
                   np.full((2, 3), 0.4)),
              Case("%t = graph.less %0, %1 : {0}\n"
                   "%r = graph.select %t, %0, %1 : tensor<2x3xi1>, {0}", (2, 3), x, y),
              Case("%t = graph.cast %0 : {0} to tensor<2x3xf64>\n"
                   "%s = graph.square %t : tensor<2x3xf64>\n"
                   "%r = graph.cast %s : tensor<2x3xf64> to {0}", (2, 3), x),
              Case("%t = graph.barrier %0 : {0}\n%r = graph.tanh %t : {0}", (2, 3), x)]
    return cases, ["f64", "f32", "bf16"]


def special():
    order, x = uniform(1.5, 3, 2, 3), uniform(0.5, 2, 2, 3)
    third = uniform(0.2, 0.8, 2, 3)
    cases = [binary(op, order, x, wrt=[1]) for op in ("igamma", "igammac", "zeta")]
    cases.append(binary("next_after", order, x))
    cases += [binary("polygamma", np.float64([[1, 2, 3]]), uniform(1, 2, 1, 3), wrt=[1]),
              Case("%r = graph.betainc %0, %1, %2 : {0}", (2, 3), order, x, third, wrt=[2])]
    return cases, ["f64", "f32"]


def shape():
    x = normal(2, 3)
    cases = [
        Case("%r = graph.reshape %0 : {0} to tensor<3x2x{f}>", (3, 2), x),
        Case("%r = graph.transpose %0 [2, 0, 1] : {0}", (4, 2, 3), normal(2, 3, 4)),
        Case("%r = graph.broadcast %0 [1] : {0} to tensor<2x3x{f}>", (2, 3), normal(3)),
        Case("%r = graph.broadcast %0 [1, 2] : {0} to tensor<2x3x4x{f}>", (2, 3, 4),
             normal(1, 4)),
        Case("%r = graph.slice %0 [0, 1] to [2, 6] by [1, 2] : {0}", (2, 3), normal(2, 6)),
        Case("%r = graph.pad %0, %1 low [1, 0] high [0, 2] interior [0, 1] : {0}", (3, 7), x,
             normal()),
        Case("%r = graph.concat %0, %1 axis 0 : {0}, {1}", (3, 3), x, normal(1, 3)),
        Case("%r = graph.reverse %0 [1] : {0}", (2, 3), x),
    ]
    return cases, ["f64", "f32"]


def reduce():
    x = distinct(2, 3, 2)
    cases = [Case(f"%r = graph.{op} %0 [{dims}] : {{0}}", shape, values)
             for op, values in (("reduce_sum", x), ("reduce_prod", uniform(0.5, 2, 2, 3, 2)),
                                ("reduce_max", x), ("reduce_min", x))
             for dims, shape in (("1", (2, 2)), ("0, 2", (3,)))]
    # The product has a zero.
    cases.append(Case("%r = graph.reduce_prod %0 [0] : {0}", (3,), [[1, 0, 2], [3, 4, 5]]))
    y = uniform(0.5, 2, 2, 4)
    cases += [Case(f"%r = graph.{op} %0 axis 1 {how} : {{0}}", (2, 4), y)
              for op in ("cumulative_sum", "cumulative_prod")
              for how in ("", "exclusive", "reverse", "exclusive reverse")]
    # The products have one zero, and two.
    zeros = [[2, 0, 3, 4], [0, 5, 0, 7]]
    cases += [Case(f"%r = graph.cumulative_prod %0 axis 1 {how} : {{0}}", (2, 4), zeros)
              for how in ("", "exclusive", "reverse", "exclusive reverse")]
    cases += [Case(f"%r = graph.cumulative_log_sum_exp %0 axis 1 {how} : {{0}}", (2, 4), y)
              for how in ("", "reverse")]
    return cases, ["f64", "f32"]


def index():
    x = normal(2, 3)
    places = "%i = graph.constant dense<[2, 0, 2, 5]> : tensor<4xi32>\n"
    pairs = "%i = graph.constant dense<[[0, 1], [1, 2], [0, 1]]> : tensor<3x2xi32>\n"
    rows = "%i = graph.constant dense<[[1], [4], [1], [9], [0]]> : tensor<5x1xi32>\n"
    batched = "%i = graph.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi64>\n"
    start = "%i = graph.constant dense<1> : tensor<i32>\n"
    sizes = "%n = graph.constant dense<2> : tensor<i64>\n%m = graph.constant dense<3> : tensor<i64>\n"
    cases = [
        Case(places + "%r = graph.gather %0, %i axis 1 batch_dims 0 : {0}, tensor<4xi32>",
             (2, 4), x),
        Case(places + "%r = graph.gather %0, %i axis 0 batch_dims 0 : {0}, tensor<4xi32>",
             (4, 2), normal(3, 2)),
        Case(batched + "%r = graph.gather %0, %i axis 2 batch_dims 1 : {0}, tensor<2x2xi64>",
             (2, 2, 2, 2), normal(2, 2, 3, 2)),
        Case(pairs + "%r = graph.gather_nd %0, %i batch_dims 0 : {0}, tensor<3x2xi32>", (3,), x),
        Case("%i = graph.constant dense<[[2], [1]]> : tensor<2x1xi64>\n"
             "%r = graph.gather_nd %0, %i batch_dims 1 : {0}, tensor<2x1xi64>", (2, 2),
             normal(2, 3, 2)),
        Case(start + "%r = graph.dynamic_slice %0 [%i, %i] sizes [1, 2] : "
             "({0}, tensor<i32>, tensor<i32>) -> tensor<1x2x{f}>", (1, 2), x),
        Case(start + "%r = graph.dynamic_update_slice %0, %1 [%i, %i] : "
             "({0}, {1}, tensor<i32>, tensor<i32>) -> {0}", (2, 3), x, normal(1, 2)),
        Case("%i = graph.constant dense<[1, 3]> : tensor<2xi64>\n"
             "%r = graph.one_hot %i, %0, %1 depth 3 axis 1 : tensor<2xi64>, {0}", (2, 3),
             normal(), normal()),
        Case("%s:2 = graph.sort %0, %1 : {0}, {1}\n%r = graph.mul %s#0, %s#1 : {0}", (2, 4),
             distinct(2, 4), normal(2, 4)),
        Case("%r = graph.sort %0 descending : {0}", (2, 4), distinct(2, 4)),
        Case("%r, %i = graph.top_k %0 k 2 : {0}", (2, 2), distinct(2, 4)),
        Case(sizes + "%r = graph.compact %0 [%n, %m] along [0, 1] zeros : "
             "({0}, tensor<i64>, tensor<i64>) -> tensor<24x{f}>", (24,), normal(3, 4, 2)),
        Case(sizes + "%r = graph.spread %0 [%n, %m] along [0, 1] to [3, 4, 2] zeros : "
             "({0}, tensor<i64>, tensor<i64>) -> tensor<3x4x2x{f}>", (3, 4, 2), normal(24)),
        Case(sizes + "%r = graph.fill_beyond %0, %m, %1 along 1 reach 4 : "
             "({0}, tensor<i64>, {1}) -> {0}", (3, 4, 2), normal(3, 4, 2), normal()),
    ]
    for combiner in ("update", "add", "sub", "mul", "min", "max"):
        text = rows if combiner != "update" else rows.replace("[1], [9]", "[2], [9]")
        cases.append(Case(
            text + f"%r = graph.scatter {combiner} %0, %i, %1 : {{0}}, tensor<5x1xi32>, {{1}}",
            (5, 2), distinct(5, 2), distinct(5, 2) + 0.13))
    return cases, ["f64", "f32"]


def neural():
    cases = []
    for ta in (False, True):
        for tb in (False, True):
            flags = " transpose_a" * ta + " transpose_b" * tb
            cases.append(Case(f"%r = graph.matmul %0, %1{flags} : {{0}}, {{1}}", (2, 2, 4),
                              normal(2, *((3, 2) if ta else (2, 3))),
                              normal(2, *((4, 3) if tb else (3, 4)))))

    def convolution(x, w, shape, strides, low, high, dilations, groups, **which):
        return Case(f"%r = graph.convolution %0, %1 strides {strides} padding_low {low} "
                    f"padding_high {high} dilations {dilations} groups {groups} : {{0}}, {{1}}",
                    shape, x, w, **which)

    cases += [
        # The phases of the strides have one tap, none, or all. There is padding before and after,
        # and images end within a stride.
        convolution(normal(1, 5, 4, 2), normal(1, 1, 2, 3), (1, 3, 2, 3), [2, 2], [0, 0],
                    [0, 0], [1, 1], 1),
        convolution(normal(1, 7, 8, 2), normal(2, 3, 2, 2), (1, 3, 4, 2), [3, 2], [1, 1],
                    [0, 0], [1, 1], 1),
        convolution(normal(2, 6, 5, 4), normal(4, 2, 2, 4), (2, 3, 4, 4), [2, 1], [2, 0],
                    [1, 0], [1, 1], 2),
        # Winograd convolutions compute the gradients by the images, and by factors of the filter,
        # in f32.
        convolution(normal(1, 8, 8, 16), normal(3, 3, 16, 16), (1, 8, 8, 16), [1, 1], [1, 1],
                    [1, 1], [1, 1], 1, wrt=[0]),
        convolution(normal(1, 5, 5, 2), normal(3, 3, 2, 3), (1, 3, 3, 3), [2, 2], [1, 1],
                    [1, 1], [1, 1], 1),
        convolution(normal(2, 6, 4), normal(2, 2, 4), (2, 4, 4), [1], [0], [0], [2], 2),
        convolution(normal(1, 4, 4, 2), normal(2, 2, 1, 4), (1, 3, 3, 4), [1, 1], [0, 0],
                    [0, 0], [1, 1], 2),
        convolution(normal(1, 3, 3, 3, 1), normal(2, 2, 2, 1, 2), (1, 2, 2, 2, 2), [1, 1, 1],
                    [0, 0, 0], [0, 0, 0], [1, 1, 1], 1),
        Case("%a = graph.broadcast %2 [0, 1, 2, 3] : {2} to {1}\n"
             "%b = graph.mul %1, %a : {1}\n"
             "%r = graph.convolution %0, %b strides [1, 1] padding_low [0, 1] "
             "padding_high [0, 1] dilations [1, 1] groups 1 : {0}, {1}",
             (2, 11, 12, 96), normal(2, 13, 12, 96) / 8, normal(3, 3, 96, 96) / 8,
             normal(3, 3, 1, 1), wrt=[2]),
    ]
    for x, r, shape, window, strides, low, dilations, groups in [
            (normal(2, 9, 4), normal(2, 4, 6), (6, 3, 2), [3], [2], [1], [1], 2),
            (normal(1, 7, 8, 2), normal(1, 3, 4, 3), (3, 2, 3, 2), [2, 3], [3, 2], [1, 1],
             [1, 1], 1),
            (normal(2, 5, 6, 2), normal(2, 5, 4, 2), (2, 3, 2, 2), [3, 2], [1, 1], [2, 0],
             [2, 1], 1)]:
        cases.append(Case(f"%r = graph.filter_gradient %0, %1 window {window} strides {strides} "
                          f"padding_low {low} dilations {dilations} groups {groups} : {{0}}, {{1}}",
                          shape, x, r))
    for op in ("pool_max", "pool_average"):
        cases += [
            Case(f"%r = graph.{op} %0 window [2, 2] strides [2, 2] padding_low [0, 0] "
                 "padding_high [0, 0] : {0}", (1, 2, 2, 2), distinct(1, 4, 4, 2)),
            Case(f"%r = graph.{op} %0 window [2, 2] strides [2, 3] padding_low [1, 0] "
                 "padding_high [0, 1] : {0}", (1, 3, 3, 2), distinct(1, 5, 8, 2)),
            Case(f"%r = graph.{op} %0 window [3] strides [1] padding_low [1] padding_high [1] "
                 ": {0}", (2, 5, 1), distinct(2, 5, 1)),
        ]
    cases.append(Case("%r = graph.pool_average %0 window [2, 3] strides [2, 1] padding_low [1, 2] "
                      "padding_high [0, 1] {counts_padding} : {0}", (1, 3, 9, 2), normal(1, 5, 8, 2)))
    cases += [unary(op, normal(2, 4)) for op in ("softmax", "log_softmax")]
    return cases, ["f64", "f32"]


def linear():
    square = normal(2, 3, 3) + 3 * np.eye(3)
    # Any matrix becomes a symmetric positive definite one.
    spd = ("%a = graph.matmul %0, %0 transpose_b : {0}, {0}\n"
           "%r = graph.cholesky %a : {0}")
    cases = [Case(spd, (3, 3), normal(3, 3) + 3 * np.eye(3)),
             Case("%r, %p, %s = graph.lu %0 : {0}", (2, 3, 3), square),
             Case("%q, %r = graph.qr %0 : {0}", (3, 3), normal(4, 3)),
             Case("%r, %s = graph.qr %0 : {0}", (4, 3), normal(4, 3)),
             Case("%r, %u, %v = graph.svd %0 : {0}", (3,), normal(4, 3)),
             # The signs of the vectors are arbitrary, so the loss does not depend on them.
             Case("%s, %u, %v = graph.svd %0 : {0}\n"
                  "%r = graph.matmul %u, %u transpose_b : tensor<4x2x{f}>, tensor<4x2x{f}>",
                  (4, 4), normal(4, 2)),
             Case("%s, %u, %v = graph.svd %0 : {0}\n"
                  "%r = graph.square %v : tensor<4x2x{f}>", (4, 2), normal(2, 4))]
    for flags in ("lower", "lower adjoint", "lower unit", "adjoint", ""):
        cases.append(Case(f"%r = graph.triangular_solve %0, %1 {flags} : {{0}}, {{1}}",
                          (2, 3, 2), square, normal(2, 3, 2)))
    return cases, ["f64", "f32"]


def control():
    x = normal(3)
    branch = """%z = graph.constant dense<0.0> : tensor<{f}>
%s = graph.reduce_sum %0 [0] : {0}
%t = graph.COMPARE %s, %z : tensor<{f}>
%r = graph.if %t : tensor<i1> -> ({0}) {
%a = graph.mul %0, %1 : {0}
graph.yield %a : {0}
} else {
%b = graph.exp %1 : {0}
graph.yield %b : {0}
}"""
    # x becomes tanh(x * y) five times, or while its first number is large.
    loop = """%i = graph.constant dense<0> : tensor<i32>
%n = graph.constant dense<5> : tensor<i32>
%one = graph.constant dense<1> : tensor<i32>
%m, %r = graph.while(%i, %0) : (tensor<i32>, {0}) -> (tensor<i32>, {0}) {
^bb0(%a: tensor<i32>, %b: {0}):
%p = graph.less %a, %n : tensor<i32>
graph.yield %p : tensor<i1>
} do {
^bb0(%a: tensor<i32>, %b: {0}):
%c = graph.add %a, %one : tensor<i32>
%d = graph.mul %b, %1 : {0}
%e = graph.tanh %d : {0}
graph.yield %c, %e : tensor<i32>, {0}
}"""
    # The limit of the counter needs all of its few bits.
    short_loop = (loop.replace("i32", "ui8").replace("dense<5>", "dense<200>")
                  .replace("dense<1>", "dense<50>"))
    unbounded_loop = """%z = graph.constant dense<2.0> : tensor<{f}>
%r = graph.while(%0) : ({0}) -> {0} {
^bb0(%b: {0}):
%s = graph.reduce_sum %b [0] : {0}
%p = graph.less %s, %z : tensor<{f}>
graph.yield %p : tensor<i1>
} do {
^bb0(%b: {0}):
%d = graph.mul %b, %1 : {0}
graph.yield %d : {0}
}"""
    return [Case(branch.replace("COMPARE", "less"), (3,), x, normal(3)),
            Case(branch.replace("COMPARE", "greater"), (3,), x, normal(3)),
            Case(loop, (3,), x, normal(3)),
            Case(short_loop, (3,), x, normal(3)),
            Case(unbounded_loop, (3,), uniform(0.1, 0.3, 3), uniform(1.2, 1.6, 3))], ["f64", "f32"]


def second():
    """Gradients of gradients."""
    def twice(text, *inputs):
        return Case(text + "\n%l = graph.reduce_sum %y [0, 1] : {0}\n"
                    "%r = graph.gradient %l of %0 : tensor<{f}>, ({0})", (2, 3), *inputs)

    return [twice("%y = graph.tanh %0 : {0}", normal(2, 3)),
            twice("%a = graph.mul %0, %1 : {0}\n%y = graph.exp %a : {0}", normal(2, 3),
                  normal(2, 3)),
            twice("%a = graph.softmax %0 : {0}\n%y = graph.square %a : {0}", normal(2, 3))
            ], ["f64", "f32"]


def network(root):
    """A net of two layers: its gradients and their memory. That is the memory of the gradient of
    its result, of the hidden layer and of its gradient, with a little for the products."""
    n, d, h = 64, 1000, 100
    x, target = normal(n, d), normal(n, d)
    w, v = normal(d, h) / 30, normal(h, d) / 10
    kinds = [tensor(a.shape, "f32") for a in (x, target, w, v)]
    arguments = ", ".join(f'%{i}: {kind} {{weir.name = "x{i}", weir.tensor = "x{i}:0"}}'
                          for i, kind in enumerate(kinds))
    results = ", ".join(f'{kind} {{weir.name = "r{i}", weir.tensor = "r{i}:0"}}'
                        for i, kind in enumerate(kinds[2:]))
    text = f"""
func.func @weir_entry_0({arguments}) -> ({results}) attributes {{weir.entry = "gradients"}} {{
  %a = graph.matmul %0, %2 : {kinds[0]}, {kinds[2]}
  %h = graph.relu %a : tensor<64x100xf32>
  %y = graph.matmul %h, %3 : tensor<64x100xf32>, {kinds[3]}
  %e = graph.squared_difference %y, %1 : {kinds[0]}
  %c = graph.reduce_sum %e [0, 1] : {kinds[0]}
  %dw, %dv = graph.gradient %c of %2, %3 : tensor<f32>, ({kinds[2]}, {kinds[3]})
  return %dw, %dv : {kinds[2]}, {kinds[3]}
}}
"""
    # With AVX-512, products use inner-product pairing, and run-time weights are packed
    # in the arena.
    library = Library(text, "f32", root / "network", "-mcpu=x86-64-v3")
    hidden = np.maximum(x @ w, 0)
    dy = 2 * (hidden @ v - target)
    want = [x.T @ (dy @ v.T * (hidden > 0)), hidden.T @ dy]
    failed = 0
    for have, exact in zip(library.run(0, [x, target, w, v]), want):
        if not np.allclose(have, exact, rtol=1e-4, atol=1e-4 * np.abs(exact).max()):
            print(f"network: differs by up to {np.abs(have - exact).max()}")
            failed += 1
    arena = library.info.arena_bytes
    if arena > 1.1 * 4 * (n * d + 2 * n * h):
        print(f"network: an arena of {arena} bytes")
        failed += 1
    return failed


GROUPS = [elementwise, special, shape, reduce, index, neural, linear, control, second]


def covers():
    """The ops that have a rule but no case."""
    rules = re.findall(r"^\| `(\w+)` \| (?!zero|none)", (ROOT / "docs/gradients.md").read_text(),
                       re.M)
    text = "\n".join(case.text for group in GROUPS for case in group()[0])
    return [op for op in rules if not re.search(rf"graph\.{op}\b", text)]


def main():
    if "--covers" in sys.argv:
        missing = covers()
        sys.exit(f"no case: {missing}" if missing else 0)
    root, chosen = pathlib.Path(sys.argv[1]), sys.argv[2:]
    failed = sum(check(group.__name__, *group(), root) for group in GROUPS
                 if not chosen or group.__name__ in chosen)
    if not chosen or "network" in chosen:
        failed += network(root)
    sys.exit(failed != 0)


main()

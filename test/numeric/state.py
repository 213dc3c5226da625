"""state.py FOLDER: compiles graphs with variables of both versions and runs some steps; the
checkpoint after them is compared with NumPy in float64."""

import os
import pathlib
import subprocess
import sys

import numpy as np

# With WEIR_RECORD=FILE only the ops are written there, for docs/ops.md.
RECORD = os.environ.get("WEIR_RECORD")
OUT = "" if RECORD else sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "runtime" / "Inputs"))
import bundle  # noqa: E402

NAMES = {"float32": "DT_FLOAT", "int32": "DT_INT32", "int64": "DT_INT64"}
failures = compared = 0


def attr(key, text):
    return f'attr {{ key: "{key}" value {{ {text} }} }}'


def dims(shape):
    return " ".join(f"dim {{ size: {n} }}" for n in shape)


class Graph:
    def __init__(self):
        self.text, self.ops = [], set()

    def node(self, name, op, inputs=(), *attrs):
        self.ops.add(op)
        edges = " ".join(f'input: "{i}"' for i in inputs)
        self.text.append(f'node {{ name: "{name}" op: "{op}" {edges} {" ".join(attrs)} }}')
        return name

    def const(self, name, value):
        value = np.asarray(value)
        kind = NAMES[str(value.dtype)]
        field = {"DT_FLOAT": "float_val", "DT_INT32": "int_val", "DT_INT64": "int64_val"}[kind]
        values = " ".join(f"{field}: {v}" for v in value.ravel())
        return self.node(name, "Const", (), attr("dtype", f"type: {kind}"), attr("value",
            f"tensor {{ dtype: {kind} tensor_shape {{ {dims(value.shape)} }} {values} }}"))  # fmt: skip

    def variable(self, name, value, resource):
        first = self.const(name + "/first", np.float32(value))
        kind = attr("dtype", "type: DT_FLOAT")
        shape = attr("shape", f"shape {{ {dims(np.shape(value))} }}")
        self.node(name, "VarHandleOp" if resource else "VariableV2", (), kind, shape)
        self.node(name + "/Assign", "AssignVariableOp" if resource else "Assign", (name, first), kind)
        return name

    def run(self, name, options, runs=("--repeat=3",)):
        """The variables after the runs, by name; None if ops are recorded."""
        if RECORD:
            with open(RECORD, "a") as file:
                for op in self.ops:
                    print(op, "state", "f32", file=file)
            return None
        path = f"{OUT}/{name}.pbtxt"
        open(path, "w").write("\n".join(self.text))
        library = f"{OUT}/{name}.so"
        extra = os.environ.get("WEIR_TEST_OPTIONS", "").split()
        subprocess.run(["weir", "compile", path, "-o", library, *options, *extra], check=True)
        subprocess.run(["weir-run", library, *runs, f"--save={OUT}/{name}"], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        tensors = bundle.read(f"{OUT}/{name}")
        return {k: np.frombuffer(d, np.float32).reshape(s) for k, (t, s, d) in tensors.items()}


def compare(what, got, want, rtol=2e-6):
    global failures, compared
    if got is None:
        return
    compared += 1
    if not np.allclose(got, want, rtol=rtol, atol=1e-7):
        failures += 1
        print(f"{what}: {got} instead of {want}")


def gradient_descent(v, a, g):
    v[0] -= a[0] * g


def momentum(v, a, g, nesterov=False):
    v[1] = v[1] * a[1] + g
    v[0] -= g * a[0] + v[1] * a[1] * a[0] if nesterov else v[1] * a[0]


def keras_momentum(v, a, g):
    v[1] = v[1] * a[1] - a[0] * g
    v[0] += v[1]


def adam(v, a, g):
    b1p, b2p, lr, b1, b2, eps = a
    v[1] = b1 * v[1] + (1 - b1) * g
    v[2] = b2 * v[2] + (1 - b2) * g * g
    v[0] -= lr * np.sqrt(1 - b2p) / (1 - b1p) * v[1] / (np.sqrt(v[2]) + eps)


def adamax(v, a, g):
    b1p, lr, b1, b2, eps = a
    v[1] = b1 * v[1] + (1 - b1) * g
    v[2] = np.maximum(b2 * v[2], abs(g))
    v[0] -= lr / (1 - b1p) * v[1] / (v[2] + eps)


def adagrad(v, a, g):
    v[1] = v[1] + g * g
    v[0] -= a[0] * g / (np.sqrt(v[1]) + (a[1] if len(a) > 1 else 0))


def adadelta(v, a, g):
    lr, rho, eps = a
    v[1] = rho * v[1] + (1 - rho) * g * g
    step = np.sqrt(v[2] + eps) / np.sqrt(v[1] + eps) * g
    v[2] = rho * v[2] + (1 - rho) * step * step
    v[0] -= lr * step


def rmsprop(v, a, g):
    lr, rho, mom, eps = a
    v[1] = rho * v[1] + (1 - rho) * g * g
    v[2] = mom * v[2] + lr * g / np.sqrt(v[1] + eps)
    v[0] -= v[2]


def centered(v, a, g):
    lr, rho, mom, eps = a
    v[1] = rho * v[1] + (1 - rho) * g
    v[2] = rho * v[2] + (1 - rho) * g * g
    v[3] = mom * v[3] + lr * g / np.sqrt(v[2] - v[1] ** 2 + eps)
    v[0] -= v[3]


def shrunk(x, by):
    return np.sign(x) * np.maximum(abs(x) - by, 0)


def proximal(v, a, g):
    v[0] = shrunk(v[0] - a[0] * g, a[0] * a[1]) / (1 + a[2] * a[0])


def proximal_adagrad(v, a, g):
    v[1] = v[1] + g * g
    rate = a[0] / np.sqrt(v[1])
    v[0] = shrunk(v[0] - rate * g, rate * a[1]) / (1 + a[2] * rate)


def add_sign(v, a, g, power=False):
    lr, alpha, decay, beta = a
    v[1] = beta * v[1] + (1 - beta) * g
    same = decay * np.sign(g) * np.sign(v[1])
    v[0] -= lr * (np.exp(alpha * same) if power else alpha + same) * g


def ftrl(v, a, g):
    lr, l1, l2, shrinkage, power = a if len(a) > 4 else [*a[:3], 0, a[3]]
    new = v[1] + g * g
    v[2] += g + 2 * shrinkage * v[0] - (new**-power - v[1] ** -power) / lr * v[0]
    v[1] = new
    away = np.clip(v[2], -l1, l1) - v[2]
    v[0] = away / (new**-power / lr + 2 * l2)


def adagrad_da(v, a, g):
    lr, l1, l2, step = a
    v[1] += g
    v[2] += g * g
    v[0] = -lr * shrunk(v[1], l1 * step) / (l2 * step * lr + np.sqrt(v[2]))


# Op, variables, scalars before the gradient, scalars after it, the step.
OPTIMIZERS = [
    ("GradientDescent", 1, [0.5], [], gradient_descent),
    ("Momentum", 2, [0.1], [0.9], momentum),
    ("KerasMomentum", 2, [0.1], [0.9], keras_momentum),
    ("Adam", 3, [0.9, 0.999, 0.01, 0.9, 0.999, 1e-7], [], adam),
    ("AdaMax", 3, [0.9, 0.01, 0.9, 0.999, 1e-7], [], adamax),
    ("Adagrad", 2, [0.1], [], adagrad),
    ("AdagradV2", 2, [0.1, 1e-3], [], adagrad),
    ("Adadelta", 3, [0.5, 0.95, 1e-6], [], adadelta),
    ("RMSProp", 3, [0.01, 0.9, 0.5, 1e-6], [], rmsprop),
    ("CenteredRMSProp", 4, [0.01, 0.9, 0.5, 1e-1], [], centered),
    ("ProximalGradientDescent", 1, [0.5, 0.1, 0.2], [], proximal),
    ("ProximalAdagrad", 2, [0.1, 0.1, 0.2], [], proximal_adagrad),
    ("Ftrl", 3, [], [0.1, 0.05, 0.02, -0.5], ftrl),
    ("FtrlV2", 3, [], [0.1, 0.05, 0.02, 0.03, -0.6], ftrl),
    ("AdagradDA", 3, [], [0.1, 0.05, 0.02, np.int64(3)], adagrad_da),
    ("AddSign", 2, [0.1, 1.5, 0.5, 0.9], [], add_sign),
    ("PowerSign", 2, [0.1, 0.7, 0.5, 0.9], [], lambda v, a, g: add_sign(v, a, g, True)),
]


def check_optimizers():
    """One graph of each version has all optimizers, each with variables of its own."""
    rng = np.random.default_rng(0)
    for resource in (False, True):
        graph, want, steps = Graph(), {}, []
        grad = rng.normal(size=(3, 5)).astype(np.float32)
        graph.const("grad", grad)
        for op, count, before, after, step in OPTIMIZERS:
            if op == "KerasMomentum" and not resource:
                continue
            values = [np.float32(abs(rng.normal(size=(3, 5)))) for _ in range(count)]
            if op == "CenteredRMSProp":
                values[1] *= 0
            names = [graph.variable(f"{op}/{i}", v, resource) for i, v in enumerate(values)]
            scalars = [graph.const(f"{op}/a{i}", a if isinstance(a, np.int64) else np.float32(a))
                       for i, a in enumerate(before + after)]  # fmt: skip
            inputs = names + scalars[: len(before)] + ["grad"] + scalars[len(before) :]
            steps.append(graph.node(f"{op}/step", ("Resource" if resource else "") + "Apply" + op,
                                    inputs, attr("T", "type: DT_FLOAT")))  # fmt: skip
            state = [np.float64(v) for v in values]
            for _ in range(3):
                step(state, [np.float64(np.float32(a)) for a in before + after], np.float64(grad))
            want.update({f"{op}/{i}": v for i, v in enumerate(state)})
        graph.node("train", "NoOp", ["^" + s for s in steps])
        got = graph.run(f"optimizers{resource}", ["--target-node=train"])
        for key, value in want.items():
            # The difference of powers cancels.
            rtol = 5e-5 if key.startswith("Ftrl") else 2e-6
            compare(f"{key} resource={resource}", got and got[key], value, rtol)


def check_line():
    """loss = mean((W * x + b - t) ^ 2), as the slides of TensorFlow have it."""
    graph, f = Graph(), attr("T", "type: DT_FLOAT")
    x = np.arange(100) / 99
    graph.const("x", np.float32(x))
    graph.const("t", np.float32(0.1 * x + 0.3))
    for name in ("W", "b"):
        graph.variable(name, np.float32(0), False)
        graph.node(name + "/read", "Identity", (name,), f)
    graph.node("wx", "Mul", ("W/read", "x"), f)
    graph.node("y", "Add", ("wx", "b/read"), f)
    graph.node("e", "Sub", ("y", "t"), f)
    graph.node("squared", "Square", ("e",), f)
    graph.const("axis", np.array([0], np.int32))
    graph.node("loss", "Mean", ("squared", "axis"), f)
    graph.const("scale", np.float32(0.02))
    graph.node("es", "Mul", ("e", "scale"), f)
    graph.node("ex", "Mul", ("es", "x"), f)
    graph.node("dW", "Sum", ("ex", "axis"), f)
    graph.node("db", "Sum", ("es", "axis"), f)
    graph.const("rate", np.float32(0.5))
    graph.node("stepW", "ApplyGradientDescent", ("W", "rate", "dW"), f)
    graph.node("stepb", "ApplyGradientDescent", ("b", "rate", "db"), f)
    graph.node("train", "NoOp", ("^stepW", "^stepb"))
    options = ["--fetch=loss", "--target-node=train"]
    expect = ["--expect=loss=f32=0.1233501684", "--rtol=1e-6"]
    got = graph.run("line", options, expect)
    compare("W after 1", got and got["W"], 0.1835016835)
    compare("b after 1", got and got["b"], 0.35)
    got = graph.run("line", options, ["--repeat=10"])
    compare("W after 10", got and got["W"], 0.1235878, 1e-5)
    compare("b after 10", got and got["b"], 0.2873578, 1e-5)
    got = graph.run("line", options, ["--repeat=1000"])
    compare("W after 1000", got and got["W"], 0.1, 1e-4)
    compare("b after 1000", got and got["b"], 0.3, 1e-4)


def check_rows():
    for resource in (False, True):
        graph = Graph()
        index = attr("Tindices", "type: DT_INT32")
        kinds = (attr("dtype" if resource else "T", "type: DT_FLOAT"), index)
        graph.const("rows", np.array([2, 0, 2], np.int32))
        value = np.arange(12, dtype=np.float32).reshape(4, 3) + 1
        by = np.arange(9, dtype=np.float32).reshape(3, 3) / 4 + 1
        graph.const("by", by)
        want, steps = {}, []
        prefix = "Resource" if resource else ""
        for op in ("Add", "Sub", "Mul", "Div", "Min", "Max"):
            graph.variable(op, value, resource)
            steps.append(graph.node(op + "/step", prefix + "Scatter" + op, (op, "rows", "by"), *kinds))
            after = value.copy()
            name = {"Sub": "subtract", "Mul": "multiply", "Div": "divide", "Min": "minimum", "Max": "maximum"}
            for _ in range(2):
                getattr(np, name.get(op, "add")).at(after, [2, 0, 2], by)
            want[op] = after
        graph.const("other", np.array([3, 1, 0], np.int32))
        graph.const("places", np.array([[3], [1], [0]], np.int32))
        for op in ("Update", "NdUpdate", "NdAdd", "NdSub", "NdMin", "NdMax"):
            graph.variable(op, value, resource)
            rows = "places" if op.startswith("Nd") else "other"
            steps.append(graph.node(op + "/step", prefix + "Scatter" + op, (op, rows, "by"), *kinds))
            after, old = value.copy(), value[[3, 1, 0]]
            after[[3, 1, 0]] = {"NdAdd": old + 2 * by, "NdSub": old - 2 * by, "NdMin": np.minimum(old, by),
                                "NdMax": np.maximum(old, by)}.get(op, by)  # fmt: skip
            want[op] = after
        # Variables are read, gathered and assigned, and the results are sums.
        suffix = "VariableOp" if resource else ""
        one = graph.const("one", np.float32(np.ones((4, 3))))
        for op, sign in (("AssignAdd", 1), ("AssignSub", -1)):
            graph.variable(op, value, resource)
            steps.append(graph.node(op + "/step", op + suffix, (op, one), kinds[0]))
            want[op] = value + sign * 2
        if resource:
            graph.variable("gathered", np.zeros((3, 3)), True)
            graph.node("gather", "ResourceGather", ("AssignAdd", "other", "^AssignAdd/step"), *kinds)
            steps.append(graph.node("keep", "AssignVariableOp", ("gathered", "gather"), kinds[0]))
            want["gathered"] = (value + 2)[[3, 1, 0]]
            graph.variable("picked", np.zeros((2,)), True)
            graph.const("corners", np.array([[3, 1], [0, 2]], np.int32))
            reads = ("AssignAdd", "corners", "^AssignAdd/step")
            graph.node("pick", "ResourceGatherNd", reads, *kinds)
            steps.append(graph.node("keeppicked", "AssignVariableOp", ("picked", "pick"), kinds[0]))
            want["picked"] = (value + 2)[[3, 0], [1, 2]]
        graph.variable("slice", value, resource)
        op = prefix + "StridedSliceAssign"
        for name, numbers in (("begin", [1, 0]), ("end", [3, 2]), ("strides", [1, 1])):
            graph.const(name, np.array(numbers, np.int32))
        graph.const("corner", np.float32([[50, 51]]))
        graph.const("column", np.float32([60, 61, 62]))
        t = (attr("T", "type: DT_FLOAT"), attr("Index", "type: DT_INT32"))
        graph.node("corner/step", op, ("slice", "begin", "end", "strides", "corner"), *t)
        graph.node("column/step", op, ("slice", "end", "end", "strides", "column", "^corner/step"), *t,
                   attr("begin_mask", "i: 1"), attr("shrink_axis_mask", "i: 2"))
        steps.append("column/step")
        want["slice"] = value.copy()
        want["slice"][1:3, 0:2] = [50, 51]
        want["slice"][:3, 2] = [60, 61, 62]
        graph.variable("known", 0, resource)
        graph.node("is", "VarIsInitializedOp" if resource else "IsVariableInitialized", ("known",), kinds[0])
        graph.node("number", "Cast", ("is",), attr("SrcT", "type: DT_BOOL"), attr("DstT", "type: DT_FLOAT"))
        steps.append(graph.node("keepnumber", "Assign" + suffix, ("known", "number"), kinds[0]))
        want["known"] = 1
        graph.node("all", "NoOp", ["^" + s for s in steps])
        got = graph.run(f"rows{resource}", ["--target-node=all"], ["--repeat=2"])
        for key, after in want.items():
            compare(f"{key} resource={resource}", got and got[key], after)


check_line()
check_optimizers()
check_rows()
print(f"{compared - failures} of {compared} values as expected")
sys.exit(failures > 0)

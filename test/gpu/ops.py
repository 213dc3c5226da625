"""One model has four forms: each function of cases.py uses the common methods of these classes,
and returns a TensorFlow graph, NumPy in f64, PyTorch or JAX.

Tensors are f32 and channels are last. `conv` pads so that the size is kept, or has filters as
large as its stride without padding.
"""

import math

import numpy as np

try:
    from scipy.special import erf
except ImportError:
    erf = np.vectorize(math.erf)


class Numpy:
    """The reference, in f64."""

    def put(self, array):
        return np.asarray(array, np.float64)

    get = staticmethod(np.asarray)
    matmul = staticmethod(np.matmul)
    add = staticmethod(np.add)
    mul = staticmethod(np.multiply)

    def relu(self, x):
        return np.maximum(x, 0)

    def gelu(self, x):
        return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))

    def softmax(self, x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def matmul_of_f16(self, a, b):
        return a @ b

    def attention(self, q, k, v, half=False):
        scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
        return self.softmax(scores) @ v

    def layernorm(self, x, g, b):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * g + b

    def conv(self, x, w, stride=1):
        kh, kw, _, filters = w.shape
        if stride == 1:
            x = np.pad(x, ((0, 0), (kh // 2, kh // 2), (kw // 2, kw // 2), (0, 0)))
        oh, ow = (x.shape[1] - kh) // stride + 1, (x.shape[2] - kw) // stride + 1
        y = np.zeros((x.shape[0], oh, ow, filters))
        for dy in range(kh):
            for dx in range(kw):
                y += x[:, dy:dy + stride * (oh - 1) + 1:stride,
                       dx:dx + stride * (ow - 1) + 1:stride] @ w[dy, dx]
        return y

    def mean_of_places(self, x):
        return x.mean((1, 2))

    reshape = staticmethod(np.reshape)
    transpose = staticmethod(np.transpose)


class Torch:
    def __init__(self):
        import torch
        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.set_grad_enabled(False)
        torch.backends.cudnn.benchmark = True
        # Products are computed in f32, as in weir.
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = False

    def put(self, array):
        return self.torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def get(self, x):
        return x.cpu().numpy()

    def matmul(self, a, b):
        return a @ b

    def add(self, a, b):
        return a + b

    def mul(self, a, b):
        return a * b

    def relu(self, x):
        return self.torch.relu(x)

    def gelu(self, x):
        return self.torch.nn.functional.gelu(x)

    def softmax(self, x):
        return self.torch.softmax(x, -1)

    def matmul_of_f16(self, a, b):
        if a.dtype == self.torch.float64:  # the reference
            return a @ b
        return (a.half() @ b.half()).float()

    def attention(self, q, k, v, half=False):
        attend = self.torch.nn.functional.scaled_dot_product_attention
        if half and q.dtype == self.torch.float32:
            return attend(q.half(), k.half(), v.half()).float()
        return attend(q, k, v)

    def layernorm(self, x, g, b):
        return self.torch.nn.functional.layer_norm(x, x.shape[-1:], g, b, 1e-5)

    def conv(self, x, w, stride=1):
        # These are views: tensors are channels-last in memory, as PyTorch prefers them.
        y = self.torch.nn.functional.conv2d(
            x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), stride=stride,
            padding=w.shape[0] // 2 if stride == 1 else 0)
        return y.permute(0, 2, 3, 1)

    def mean_of_places(self, x):
        return x.mean((1, 2))

    def reshape(self, x, shape):
        return x.reshape(shape)

    def transpose(self, x, order):
        return x.permute(order).contiguous()


class Jax:
    def __init__(self):
        import jax
        self.jax, self.np = jax, jax.numpy

    def put(self, array):
        return self.np.asarray(array)

    get = staticmethod(np.asarray)

    def matmul(self, a, b):
        return self.np.matmul(a, b, precision="highest")

    def add(self, a, b):
        return a + b

    def mul(self, a, b):
        return a * b

    def relu(self, x):
        return self.jax.nn.relu(x)

    def gelu(self, x):
        return self.jax.nn.gelu(x, approximate=False)

    def softmax(self, x):
        return self.jax.nn.softmax(x, -1)

    def matmul_of_f16(self, a, b):
        a, b = (x.astype(self.np.float16) for x in (a, b))
        return self.matmul(a, b).astype(self.np.float32)

    def attention(self, q, k, v, half=False):
        if half:
            q, k, v = (x.astype(self.np.float16) for x in (q, k, v))
        scores = self.matmul(q, k.swapaxes(-1, -2)) * q.shape[-1] ** -0.5
        return self.matmul(self.softmax(scores), v).astype(self.np.float32)

    def layernorm(self, x, g, b):
        centred = x - x.mean(-1, keepdims=True)
        variance = (centred**2).mean(-1, keepdims=True)
        return centred * self.jax.lax.rsqrt(variance + 1e-5) * g + b

    def conv(self, x, w, stride=1):
        return self.jax.lax.conv_general_dilated(
            x, w, (stride, stride), "SAME" if stride == 1 else "VALID",
            dimension_numbers=("NHWC", "HWIO", "NHWC"), precision="highest")

    def mean_of_places(self, x):
        return x.mean((1, 2))

    def reshape(self, x, shape):
        return x.reshape(shape)

    def transpose(self, x, order):
        return x.transpose(order)


class Tensor:
    """An edge of a graph."""

    def __init__(self, name, shape):
        self.name, self.shape = name, tuple(shape)


class Graph:
    """Writes a GraphDef as text by `graph`, a Graph of test/models/graphdef.py."""

    def __init__(self, graph):
        self.graph = graph

    def name(self):
        return f"n{len(self.graph.nodes)}"

    def put(self, array):
        """A constant."""
        array = np.ascontiguousarray(array, np.float32)
        octets = "".join(f"\\{byte:03o}" for byte in array.tobytes())
        sizes = " ".join(f"dim {{ size: {n} }}" for n in array.shape)
        name = self.name()
        self.graph.nodes.append(
            f'{{\n  name: "{name}"\n  op: "Const"\n'
            f'  attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}\n'
            f'  attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT '
            f'tensor_shape {{ {sizes} }} tensor_content: "{octets}" }} }} }}\n}}')
        return Tensor(name, array.shape)

    def placeholder(self, name, shape):
        return Tensor(self.graph.placeholder(name, shape), shape)

    def node(self, op, *inputs, shape=None, **attributes):
        edges = [i.name if isinstance(i, Tensor) else i for i in inputs]
        name = self.graph.op(self.name(), op, *edges, **attributes)
        return Tensor(name, inputs[0].shape if shape is None else shape)

    def ints(self, values):
        return self.graph.ints(self.name(), values)

    def number(self, value):
        return Tensor(self.graph.const(self.name(), value), ())

    def matmul(self, a, b):
        op = "MatMul" if len(a.shape) == len(b.shape) == 2 else "BatchMatMulV2"
        return self.node(op, a, b, shape=a.shape[:-1] + b.shape[-1:])

    def add(self, a, b):
        return self.node("AddV2", a, b)

    def mul(self, a, b):
        return self.node("Mul", a, self.number(b) if isinstance(b, float) else b)

    def relu(self, x):
        return self.node("Relu", x)

    def gelu(self, x):
        erf = self.node("Erf", self.mul(x, math.sqrt(0.5)))
        return self.mul(self.mul(x, 0.5), self.node("AddV2", erf, self.number(1.0)))

    def softmax(self, x):
        return self.node("Softmax", x)

    def cast(self, x, source, target):
        name = self.graph.node(self.name(), "Cast", [x.name], SrcT=source, DstT=target)
        return Tensor(name, x.shape)

    def matmul_of_f16(self, a, b):
        a, b = (self.cast(x, "DT_FLOAT", "DT_HALF") for x in (a, b))
        y = self.node("MatMul", a, b, shape=a.shape[:-1] + b.shape[-1:], T="DT_HALF")
        return self.cast(y, "DT_HALF", "DT_FLOAT")

    def attention(self, q, k, v, half=False):
        kind = "DT_HALF" if half else "DT_FLOAT"
        q = self.mul(q, q.shape[-1] ** -0.5)
        if half:
            q, k, v = (self.cast(x, "DT_FLOAT", kind) for x in (q, k, v))
        scores = self.node("BatchMatMulV2", q, k, shape=q.shape[:-1] + k.shape[-2:-1],
                           adj_y=True, T=kind)
        weights = self.node("Softmax", scores, T=kind)
        mixed = self.node("BatchMatMulV2", weights, v, shape=q.shape[:-1] + v.shape[-1:], T=kind)
        return self.cast(mixed, kind, "DT_FLOAT") if half else mixed

    def mean_of(self, x, axes, keep, shape):
        return self.node("Mean", x, self.ints(axes), shape=shape, Tidx="DT_INT32",
                         keep_dims=keep)

    def layernorm(self, x, g, b):
        one = x.shape[:-1] + (1,)
        mean = self.mean_of(x, [-1], True, one)
        variance = self.mean_of(self.node("SquaredDifference", x, mean), [-1], True, one)
        factor = self.node("Rsqrt", self.add(variance, self.number(1e-5)))
        return self.add(self.mul(self.mul(self.node("Sub", x, mean), factor), g), b)

    def conv(self, x, w, stride=1):
        n, h, width, _ = x.shape
        shape = (n, h // stride, width // stride, w.shape[3])
        return self.node("Conv2D", x, w, shape=shape, strides=[1, stride, stride, 1],
                         padding="SAME" if stride == 1 else "VALID", data_format="NHWC")

    def mean_of_places(self, x):
        return self.mean_of(x, [1, 2], False, (x.shape[0], x.shape[3]))

    def reshape(self, x, shape):
        return self.node("Reshape", x, self.ints(list(shape)), shape=shape, Tshape="DT_INT32")

    def transpose(self, x, order):
        return self.node("Transpose", x, self.ints(list(order)), Tperm="DT_INT32",
                         shape=[x.shape[i] for i in order])

#!/usr/bin/python3
"""nets.py DIR [NAME...]: nets that the harness's zoo has not, as PyTorch 1.13 exports them, with random weights.

Writes DIR/NAME.onnx, and DIR/NAME.json as the harness expects it: the nets of torchvision 0.14 that are named in IMAGES
and VOLUMES, and those that functions here make. Without names all of them, in some minutes."""
import json
import pathlib
import sys
import warnings

import torch
import torch.nn.functional as F
import torchvision
from torch import nn

# Height and width of the image.
IMAGES = {
    "convnext_tiny": 224,
    "deeplabv3_mobilenet_v3_large": 224,
    "deeplabv3_resnet50": 224,
    "densenet169": 224,
    "efficientnet_b0": 224,
    "fcn_resnet50": 224,
    "googlenet": 224,
    "inception_v3": 299,
    "lraspp_mobilenet_v3_large": 224,
    "maxvit_t": 224,
    "mnasnet1_0": 224,
    "mobilenet_v3_large": 224,
    "mobilenet_v3_small": 224,
    "regnet_x_400mf": 224,
    "regnet_y_400mf": 224,
    "resnext50_32x4d": 224,
    "shufflenet_v2_x1_0": 224,
    "squeezenet1_1": 224,
    "swin_t": 224,
    "vit_b_32": 224,
    "wide_resnet50_2": 224,
}
# Images, and their height and width.
VOLUMES = {"r2plus1d_18": (8, 112), "r3d_18": (8, 112), "s3d": (16, 224)}


class Unet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        block = lambda i, o: nn.Sequential(
            *[m for a in (i, o) for m in (nn.Conv2d(a, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())])
        ups = widths[-2::-1]
        self.down = nn.ModuleList(block(i, o) for i, o in zip((3, *widths), widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * o, o, 2, stride=2) for o in ups)
        self.merge = nn.ModuleList(block(2 * o, o) for o in ups)
        self.head = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        kept = []
        for layer in self.down:
            x = layer(F.max_pool2d(x, 2) if kept else x)
            kept.append(x)
        kept.pop()
        for up, merge in zip(self.up, self.merge):
            x = merge(torch.cat([up(x), kept.pop()], 1))
        return torch.sigmoid(self.head(x))


class Causal(nn.Module):
    """Causal convolutions of one dimension, with twice the dilation in each layer."""

    def __init__(self, width=64, layers=8):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv1d(width if k else 16, width, 3, padding=2 << k, dilation=1 << k) for k in range(layers))
        self.head = nn.Conv1d(width, 10, 1)

    def forward(self, x):
        for k, layer in enumerate(self.layers):
            y = torch.relu(layer(x)[..., : x.shape[-1]])
            x = y + x if k else y
        return self.head(x)


class Vocoder(nn.Module):
    """Audio from a spectrum: transposed convolutions of one dimension, each before three pairs of
    dilated ones."""

    def __init__(self, width=128):
        super().__init__()
        self.first = nn.Conv1d(80, width, 7, padding=3)
        self.up, self.blocks = nn.ModuleList(), nn.ModuleList()
        for stride in (8, 8, 2, 2):
            self.up.append(nn.ConvTranspose1d(width, width // 2, 2 * stride, stride, padding=stride // 2))
            width //= 2
            self.blocks.append(nn.ModuleList(
                nn.Conv1d(width, width, 3, dilation=d, padding=d) for far in (1, 3, 5) for d in (far, 1)))
        self.last = nn.Conv1d(width, 1, 7, padding=3)

    def forward(self, x):
        x = self.first(x)
        for up, block in zip(self.up, self.blocks):
            x = up(F.leaky_relu(x, 0.1))
            for far, near in zip(block[::2], block[1::2]):
                x = x + near(F.leaky_relu(far(F.leaky_relu(x, 0.1)), 0.1))
        return torch.tanh(self.last(F.leaky_relu(x)))


class Speaker(nn.Module):
    """Frames of 80 features to their mean and deviation in 1536 channels."""

    def __init__(self):
        super().__init__()
        layer = lambda i, o, k, d: [nn.Conv1d(i, o, k, padding=k // 2 * d, dilation=d), nn.ReLU(), nn.BatchNorm1d(o)]
        self.layers = nn.Sequential(*layer(80, 512, 5, 1), *layer(512, 512, 3, 2), *layer(512, 1536, 1, 1))

    def forward(self, x):
        y = self.layers(x)
        return torch.cat([y.mean(2), torch.sqrt(y.var(2, unbiased=False) + 1e-5)], 1)


def autoencoder():
    down = [m for i, o in ((3, 32), (32, 64), (64, 128)) for m in (nn.Conv2d(i, o, 3, 2, 1), nn.ReLU())]
    up = [m for i, o in ((128, 64), (64, 32)) for m in (nn.ConvTranspose2d(i, o, 3, 2, 1, 1), nn.ReLU())]
    return nn.Sequential(*down, *up, nn.ConvTranspose2d(32, 3, 3, 2, 1, 1), nn.Sigmoid())


def generator():
    """Images of noise, as DCGAN's."""
    layers, widths = [], (100, 512, 256, 128, 64)
    for k, (i, o) in enumerate(zip(widths, widths[1:])):
        stride = 2 if k else 1
        layers += [nn.ConvTranspose2d(i, o, 4, stride, stride - 1, bias=False), nn.BatchNorm2d(o), nn.ReLU()]
    return nn.Sequential(*layers, nn.ConvTranspose2d(64, 3, 4, 2, 1, bias=False), nn.Tanh())


def superresolution():
    layers = [m for i, o, k in ((1, 64, 5), (64, 64, 3), (64, 32, 3)) for m in (nn.Conv2d(i, o, k, padding=k // 2), nn.Tanh())]
    return nn.Sequential(*layers, nn.Conv2d(32, 9, 3, padding=1), nn.PixelShuffle(3))


OWN = {
    "autoencoder": (autoencoder, (1, 3, 128, 128)),
    "causal": (Causal, (1, 16, 1000)),
    "generator": (generator, (1, 100, 1, 1)),
    "speaker": (Speaker, (1, 80, 300)),
    "superresolution": (superresolution, (1, 1, 224, 224)),
    "unet": (Unet, (1, 3, 256, 256)),
    "vocoder": (Vocoder, (1, 80, 50)),
}


def of_torchvision(name):
    # No pretrained weights are available, and nets with a slow initialization keep
    # theirs.
    options = dict(weights=None)
    if "deeplab" in name or "fcn" in name or "lraspp" in name:
        options["weights_backbone"] = None
    if name in ("googlenet", "inception_v3"):
        options["init_weights"] = False
    return torchvision.models.get_model(name, **options)


def make(name):
    """The net and the shape of its input."""
    if name in OWN:
        build, shape = OWN[name]
        return build(), shape
    if name in VOLUMES:
        images, size = VOLUMES[name]
        return of_torchvision(name), (1, 3, images, size, size)
    if name in IMAGES:
        return of_torchvision(name), (1, 3, IMAGES[name], IMAGES[name])
    raise SystemExit(f"nets.py: error: no net is named '{name}'")


def export(folder, name):
    torch.manual_seed(1)
    net, shape = make(name)
    # As for training, an attention consists of ops that ONNX has; the net has no
    # dropout and no batch norm.
    training = name.startswith("vit")
    net.train(training)
    mode = torch.onnx.TrainingMode.PRESERVE if training else torch.onnx.TrainingMode.EVAL
    path = folder / f"{name}.onnx"
    torch.onnx.export(net, torch.rand(shape) - 0.5, str(path), opset_version=16, input_names=["x"], training=mode)
    meta = dict(name=name, flops=0, bytes=0, inputs=[dict(name="x", shape=list(shape), img=False)], outputs=[])
    path.with_suffix(".json").write_text(json.dumps(meta, indent=1))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    warnings.filterwarnings("ignore")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or [*IMAGES, *VOLUMES, *OWN]:
        export(folder, name)


if __name__ == "__main__":
    main()

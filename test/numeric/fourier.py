"""Tests Fourier transforms, spectrograms and their cepstral coefficients."""

import numpy as np
from harness import Graph, main

random = np.random.default_rng(3)


def normal(*shape):
    return np.float32(random.standard_normal(shape))


def transforms():
    g = Graph(fold=False)
    # The lengths are short, odd, prime and long: one product, or two with a rotation.
    for length in (1, 2, 7, 16, 31, 37, 60, 64, 512, 1000):
        x, y = g.input(normal(2, length)), g.input(normal(2, length))
        z = g.op("Complex", x, y)
        exact = np.float64(x.value) + 1j * np.float64(y.value)
        for op, reference in (("FFT", np.fft.fft(exact)), ("IFFT", np.fft.ifft(exact))):
            made = g.op(op, z, Tcomplex="DT_COMPLEX64")
            g.expect(g.op("Real", made, Tout=np.float32), reference.real, rtol=1e-5, atol=1e-4)
            g.expect(g.op("Imag", made, Tout=np.float32), reference.imag, rtol=1e-5, atol=1e-4)
    return g


def real_transforms():
    g = Graph(fold=False)
    for length, wanted in ((8, 8), (9, 9), (12, 8), (5, 16), (512, 512), (480, 512)):
        x = g.input(normal(3, length))
        size = g.constant(np.int32([wanted]))
        made = g.op("RFFT", x, size, Treal=np.float32)
        reference = np.fft.rfft(np.float64(x.value), wanted)
        g.expect(g.op("Real", made, Tout=np.float32), reference.real, rtol=1e-5, atol=1e-4)
        g.expect(g.op("Imag", made, Tout=np.float32), reference.imag, rtol=1e-5, atol=1e-4)
        back = np.fft.irfft(reference, wanted)
        g.expect(g.op("IRFFT", made, size, Treal=np.float32), back, rtol=1e-5, atol=1e-5)
    x = g.input(normal(2, 6, 10))
    size = g.constant(np.int32([6, 10]))
    made = g.op("RFFT2D", x, size)
    reference = np.fft.rfft2(np.float64(x.value))
    g.expect(g.op("Real", made, Tout=np.float32), reference.real, rtol=1e-5, atol=1e-4)
    g.expect(g.op("IRFFT2D", made, size), x.value, rtol=1e-5, atol=1e-5)
    return g


def mel(hertz):
    return 1127 * np.log1p(hertz / 700)


def speech():
    g = Graph(fold=False)
    window, stride, rate, bands, count = 480, 160, 16000, 40, 13
    x = g.input(normal(1600, 1))
    frames = np.lib.stride_tricks.sliding_window_view(np.float64(x.value[:, 0]), window)[::stride]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    power = np.abs(np.fft.rfft(frames * hann, 512)) ** 2
    for squared in (False, True):
        made = g.op("AudioSpectrogram", x, window_size=window, stride=stride,
                    magnitude_squared=squared)  # fmt: skip
        reference = power if squared else np.sqrt(power)
        g.expect(made, reference[None], rtol=1e-4, atol=1e-3)
    features = g.op("Mfcc", made, g.constant(np.int32(rate)))
    # Each frequency is between the centers of two bands, and both share it.
    centers = np.linspace(mel(20), mel(4000), bands + 2)
    hertz = np.arange(257) * rate / 2 / 256
    weights = np.zeros((257, bands))
    for i in range(int(1.5 + 20 / 31.25), int(4000 / 31.25) + 1):
        above = max(np.searchsorted(centers, mel(hertz[i])), 1)
        share = (centers[above] - mel(hertz[i])) / (centers[above] - centers[above - 1])
        for band, part in ((above - 2, share), (above - 1, 1 - share)):
            if 0 <= band < bands:
                weights[i, band] += part
    energies = np.log(np.maximum(np.sqrt(power) @ weights, 1e-12))
    turns = np.outer(np.arange(bands) + 0.5, np.arange(count)) * np.pi / bands
    g.expect(features, (energies @ np.cos(turns) * np.sqrt(2 / bands))[None], rtol=1e-3, atol=1e-3)
    return g


if __name__ == "__main__":
    main(transforms, real_transforms, speech)

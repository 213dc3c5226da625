"""Schedules with fixed parameters against NumPy: inner-product pairing, dot products and
Winograd convolutions. A report says whether each kernel has the parameters. The bits are the
same for each number of threads."""

import numpy as np
from harness import main
from products import FixedParameters, Products, convolution, dense, normal, random, wide


class Scheduled(FixedParameters, Products):
    """A graph whose kernels by an algorithm have fixed parameters."""

    def __init__(self, algorithm, *options, **parameters):
        super().__init__("-mcpu=x86-64-v4", "--threads=3", *options, threads=[1, 2])
        self.fix(algorithm, **parameters)


def pairing(**parameters):
    return Scheduled("pairing", "-mattr=+sse4a", **parameters)


def pairing_depth_parts():
    """Partial sums are spilled between parts of the depth, in slabs of rows."""
    g = pairing(depth_parts=3, row_slabs=2, round_chains=2, chain=60, tile_rows=6, share="slabs")
    for shape in [(64, 1500, 97), (33, 800, 80)]:
        dense(g, *shape)
    return g


def pairing_tiles():
    """Threads share the tiles of all panels, also with spilled partial sums."""
    g = pairing(share="tiles", row_slabs=1, depth_parts=2, round_chains=3, tile_rows=5)
    for shape in [(40, 1200, 96), (61, 1030, 70)]:
        dense(g, *shape)
    return g


def pairing_plain_chain():
    """Rows that are not eligible for pairing have chains of their own length."""
    g = pairing(plain_chain=5, chain=12, round_chains=1, reuse_loads=True, prefetch="group")
    x, w = normal(70, 384), normal(384, 96)
    x[3, 6:8], x[17, 9:11], x[40] = 3000, -500, np.arange(384) == 5
    x[21], x[50], x[51, 100:] = x[21] * np.float32(2.0**70), 1, 0
    exact, size = wide(x) @ wide(w), np.abs(wide(x)) @ np.abs(wide(w))
    g.expect(g.op("MatMul", g.input(x), g.constant(w)), exact, rtol=0, atol=size * 2e-6 + 2.0**-145)
    return g


def dots_of_rows():
    """Tiles of rows and columns, of which the last ones are smaller."""
    g = Scheduled("dot", tile_rows=3, tile_columns=2, accumulator_sets=4, chain=7, share="tiles")
    for shape in [(50, 1000, 2), (33, 131, 1)]:
        dense(g, *shape)
    return g


def dots_of_one_row():
    """Several columns and several sets of sums of a row; depths with a rest."""
    g = Scheduled("dot", tile_columns=3, accumulator_sets=8, share="tiles")
    for shape in [(1, 700, 4), (1, 3001, 8)]:
        dense(g, *shape)
    return g


def winograd(*convolutions, **parameters):
    g = Scheduled("winograd", **parameters)
    for image, filter, how in convolutions:
        y, exact, atol = convolution(g, normal(*image), normal(*filter), **how)
        bias, size = normal(filter[-1]), np.abs(exact).max()
        # The transforms add and subtract terms that are larger than the results.
        close = dict(rtol=0, atol=4 * atol + 1e-5 * size)
        g.expect(y, exact, **close)
        shifted = np.maximum(exact + wide(bias), 0)
        g.expect(g.op("Relu", g.op("BiasAdd", y, g.constant(bias))), shifted, **close)
    return g


SQUARE = ((1, 20, 20, 24), (3, 3, 24, 40), {})
IMAGES = ((3, 13, 17, 20), (3, 3, 20, 70), {})
FIVES = ((2, 30, 30, 40), (5, 5, 40, 24), {})


def winograd_blocks():
    """Threads share blocks of input tiles, of which the last one is smaller."""
    return winograd(SQUARE, IMAGES, input_tiles=7, share="blocks", tile_rows=3, tile_columns=16)


def winograd_panels():
    """Threads share panels of the filter; all input tiles are one block."""
    return winograd(SQUARE, IMAGES, input_tiles=1000, share="panels", tile_rows=5, accumulator_sets=2)


def winograd_one_tile():
    """A block for each input tile, and short chains of additions."""
    return winograd(SQUARE, input_tiles=1, share="none", chain=2, unroll=3, tile_columns=16)


def winograd_groups():
    """Each group of products has its own tile."""
    return winograd(FIVES, input_tiles=5, tile_rows=[2, 5, 3], tile_columns=[16, 32, 16])


main(
    pairing_depth_parts,
    pairing_tiles,
    pairing_plain_chain,
    dots_of_rows,
    dots_of_one_row,
    winograd_blocks,
    winograd_panels,
    winograd_one_tile,
    winograd_groups,
)

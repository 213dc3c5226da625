#!/usr/bin/python3
"""translate.py ENCODER.so DECODER.so [DATE...]: reads dates, character by character.

Prints each DATE as YEAR-MONTH-DAY, and for the first one the attention: the darker the
sign, the more the character of the row depends on the character of the column. Without
DATE it prints how many of the held-out dates are read without a fault. Needs numpy and
the module weir.
"""

import sys

import numpy as np
import weir
from dates import HELD_OUT, SOURCE, TARGET, TRAINING, dates, text, tokens

encoder, decoder = map(weir.Model, sys.argv[1:3])


def translate(sources):
    """The most probable token of each step goes into the next step."""
    source = tokens(sources, SOURCE)
    previous = np.zeros((len(source), 1), np.int32)
    encoded = encoder(source=source)
    memory, h, c = encoded["memory"], encoded["h"], encoded["c"]
    found, shares = [], []
    for _ in range(TARGET):
        result = decoder(source=source, previous=previous, memory=memory, h=h, c=c)
        h, c = result["decoder.h"], result["decoder.c"]
        previous = result["logits"].argmax(-1).astype(np.int32)
        found.append(previous)
        shares.append(result["shares"])
    return [text(row) for row in np.hstack(found)], np.concatenate(shares, 1)


if len(sys.argv) > 3:
    targets, shares = translate(sys.argv[3:])
    for source, target in zip(sys.argv[3:], targets):
        print(f"{source} is {target}")
    print(f"   {sys.argv[3]}")
    for letter, row in zip(targets[0], shares[0]):
        print(f" {letter} " + "".join(" .:+#"[int(4.99 * share)] for share in row).rstrip())
else:
    pairs = dates(TRAINING, TRAINING + HELD_OUT)
    sources, expected = zip(*pairs)
    found = []
    for i in range(0, HELD_OUT, 64):
        found += translate(sources[i:i + 64])[0]
    right = sum(a == b for a, b in zip(found, expected))
    print(f"{right} of {HELD_OUT} dates read right: {100 * right / HELD_OUT:.1f} %")
    for source, target, other in zip(sources, found, expected):
        if target != other:
            print(f"  {source}: {target}, not {other}")

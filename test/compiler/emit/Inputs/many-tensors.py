"""many-tensors.py N: a graph of N results whose names differ only in characters that C does not
have."""

import sys

MARKS = "./->"


def name(i):
    """`r` and `x`, and between them the digits of i to base four."""
    digits = MARKS[i % 4]
    while i >= 4:
        i //= 4
        digits += MARKS[i % 4]
    return f"r{digits}x"


print(
    'node { name: "x" op: "Placeholder"'
    ' attr { key: "dtype" value { type: DT_FLOAT } }'
    ' attr { key: "shape" value { shape { dim { size: 2 } } } } }'
)
for i in range(int(sys.argv[1])):
    print(
        f'node {{ name: "{name(i)}" op: "Relu" input: "x"'
        ' attr { key: "T" value { type: DT_FLOAT } } }'
    )

#!/usr/bin/python3
"""corpus.py FOLDER: sentences of a small grammar, and training data of skip-gram from them.

The words of one class of the grammar can replace each other in every sentence. words.txt
has a word and its class a line, and the number of the line is the number of the word.
center.npy and context.npy have pairs of words that stand at most WINDOW words apart.
noise.npy has NOISE random words for each pair. Needs numpy.
"""

import sys
from pathlib import Path

import numpy as np

SENTENCES, WINDOW, NOISE = 6000, 2, 5
GRAMMAR = {
    "animal": "cat cow dog goat horse sheep",
    "colour": "black blue brown green red white",
    "cook": "bakes cooks eats fries serves",
    "day": "friday monday saturday sunday thursday tuesday wednesday",
    "drink": "coffee juice lemonade milk tea water",
    "food": "bread cake cheese fish rice soup",
    "move": "runs sleeps waits walks",
    "person": "baker doctor farmer painter sailor teacher",
    "place": "forest garden harbour kitchen market school",
    "pour": "drinks pours spills warms",
    "see": "calls follows hears sees",
}
TEMPLATES = [
    "the person cook the food in the place",
    "the person cook colour food on day",
    "the person pour the drink on day",
    "a person pour colour drink in the place",
    "the colour animal move in the place",
    "a person see the colour animal",
    "on day the animal see a person",
    "the animal move on day",
]


def sentence(rng):
    words = rng.choice(TEMPLATES).split()
    return [str(rng.choice(GRAMMAR[word].split())) if word in GRAMMAR else word for word in words]


folder = Path(sys.argv[1])
rng = np.random.default_rng(1)
sentences = [sentence(rng) for _ in range(SENTENCES)]
kinds = {word: kind for kind, words in GRAMMAR.items() for word in words.split()}
words = sorted({word for sentence in sentences for word in sentence})
(folder / "words.txt").write_text("".join(f"{word} {kinds.get(word, '-')}\n" for word in words))

pairs = []
for sentence in sentences:
    numbers = [words.index(word) for word in sentence]
    for i, center in enumerate(numbers):
        around = numbers[max(0, i - WINDOW):i] + numbers[i + 1:i + 1 + WINDOW]
        pairs += [(center, context) for context in around]
pairs = np.array(pairs, np.int32)
# Noise words are as frequent as in the sentences, to the power 3/4.
share = np.bincount(pairs[:, 0], minlength=len(words)) ** 0.75
noise = rng.choice(len(words), (len(pairs), NOISE), p=share / share.sum())
np.save(folder / "center.npy", pairs[:, 0])
np.save(folder / "context.npy", pairs[:, 1])
np.save(folder / "noise.npy", noise.astype(np.int32))
print(" ".join(sentences[0]))
print(f"{len(words)} words, {len(sentences)} sentences, {len(pairs)} pairs")

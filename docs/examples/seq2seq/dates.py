"""Dates as people write them, and the same dates as YEAR-MONTH-DAY."""

import datetime

import numpy as np

MONTHS = ("january february march april may june july august september october november "
          "december").split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
# Token 0 is the padding of a source, and the token before the first one of a target.
LETTERS = "_ ,./-0123456789abcdefghijklmnopqrstuvwxyz"
SOURCE, TARGET = 28, 10
TRAINING, HELD_OUT = 8192, 1000


def written(date, rng):
    day, month, year = str(date.day), MONTHS[date.month - 1], str(date.year)
    weekday, short = DAYS[date.weekday()], month[:3]
    forms = [f"{day} {month} {year}", f"{month} {day}, {year}", f"{weekday}, {day} {month} {year}",
             f"{day} {short} {year}", f"{short} {day} {year}", f"{day}.{date.month}.{year}",
             f"{year}/{date.month}/{day}", f"{weekday[:3]} {day}-{short}-{year}"]
    return str(rng.choice(forms))


def dates(start, stop):
    """These of the days from 1900 to 2099 in random order: as written, and as read."""
    first = datetime.date(1900, 1, 1)
    days = (datetime.date(2100, 1, 1) - first).days
    chosen = np.random.default_rng(1).permutation(days)[start:stop]
    rng = np.random.default_rng(start)
    dates = [first + datetime.timedelta(int(day)) for day in chosen]
    return [(written(date, rng), date.isoformat()) for date in dates]


def tokens(texts, length):
    padded = [text.ljust(length, "_") for text in texts]
    return np.array([[LETTERS.index(c) for c in text] for text in padded], np.int32)


def before(targets):
    """The token before each token."""
    return np.pad(targets, ((0, 0), (1, 0)))[:, :-1]


def text(row):
    return "".join(LETTERS[token] for token in row)

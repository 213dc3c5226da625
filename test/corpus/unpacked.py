"""unpacked.py FOLDER: several processes need a corpus that is not unpacked yet."""

import multiprocessing
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import conformance

# The corpus' own runner does so in three steps, which must not interleave with
# another's.
RUNNER = """
import os, time
def unpack(args):
    made = os.path.join(args.corpus, "made")
    if not os.path.isdir(made):
        os.mkdir(made + "-tmp")
        time.sleep(0.2)
        os.rename(made + "-tmp", made)
    return made
"""


def main():
    folder = Path(sys.argv[1])
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "run.py").write_text(RUNNER)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    with multiprocessing.Pool(4) as pool:
        places = pool.map(conformance.unpacked, [str(corpus)] * 4, chunksize=1)
    print("unpacked:", *sorted({Path(place).name for place in places}), len(places))

    for left in ("tmp12345/group/case", "group/case"):
        (corpus / "made" / left).mkdir(parents=True)
    (corpus / "made/group/case/meta.json").write_text("{}")
    cases = folder / "cases"
    cases.mkdir()
    conformance.completed(corpus / "made", cases)
    print("cases of:", *sorted(p.name for p in cases.iterdir()))


if __name__ == "__main__":
    main()

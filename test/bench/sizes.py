#!/usr/bin/python3
"""sizes.py MODEL.onnx...: bytes of a library by bytes of its model, without a budget of weights and with the default.

Also prints the ratio of the run times with and without the budget. Both run in turns: the median over --rounds."""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile


def microseconds(library, repeat):
    """The median of that many runs on random inputs."""
    command = ["weir", "bench", library, f"--repeat={repeat}", "--warmup=2"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"median ([\d.]+)", said)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--options", nargs="*", default=[], help="of weir compile")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models:
            libraries = {}
            for budget in ("none", "1.25"):
                libraries[budget] = pathlib.Path(folder) / budget / f"{model.stem}.so"
                libraries[budget].parent.mkdir(exist_ok=True)
                command = ["weir", "compile", model, "-o", libraries[budget], "--prefix=net", f"--weights-budget={budget}"]
                subprocess.run([*command, *arguments.options], check=True)
            row = {"case": model.stem, "model": round(model.stat().st_size / 1e6, 2)}
            size = {budget: library.stat().st_size for budget, library in libraries.items()}
            row["free"] = round(size["none"] / model.stat().st_size, 2)
            if libraries["none"].read_bytes() != libraries["1.25"].read_bytes():
                row["fitted"] = round(size["1.25"] / model.stat().st_size, 2)
                ratios = []
                for _ in range(arguments.rounds):
                    free, fitted = (microseconds(libraries[b], arguments.repeat) for b in ("none", "1.25"))
                    ratios.append(fitted / free)
                row["time"] = round(statistics.median(ratios), 2)
            print(json.dumps(row), flush=True)


main()

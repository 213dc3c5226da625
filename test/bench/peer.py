"""ONNX Runtime beside weir, by npm's onnxruntime-node: peer.microseconds(FOLDER, MODEL, THREADS, REPEAT, INPUT...).

FOLDER is where `npm install onnxruntime-node` was run. An input is NAME=NUMBERS.bin:SHAPE[:float32], as onnxruntime.js
takes it.
"""

import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def answer(folder, script, *arguments):
    """The output of a script of this folder, parsed as JSON."""
    env = dict(os.environ, NODE_PATH=os.path.join(folder, "node_modules"))
    command = ["node", str(HERE / script), *map(str, arguments)]
    return json.loads(subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout)


def microseconds(folder, model, threads, repeat, *inputs):
    """The result is the best of `repeat` runs."""
    return answer(folder, "onnxruntime.js", model, threads, repeat, *inputs)["min_us"]

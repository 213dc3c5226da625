"""interrupt.py LIB FOLDER: tests training that signals end, with checkpoints during it, and on a
terminal."""

import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import time

library, folder = sys.argv[1], pathlib.Path(sys.argv[2])
command = ["weir-run", library, "--train", f"--data={folder}/x.npy,{folder}/y.npy"]


def heeds():
    """A process in the background ignores SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def ended_by(number, *options):
    """The output on stderr of a training that the signal ends."""
    process = subprocess.Popen(command + ["--epochs=1000000", *options],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=heeds)
    assert process.stdout.readline().startswith("epoch 1: loss")
    time.sleep(0.1)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == -number, (process.returncode, said)
    return said


for number in (signal.SIGINT, signal.SIGTERM):
    saved, curve = folder / f"ended{number}", folder / f"ended{number}.svg"
    said = ended_by(number, f"--save={saved}", f"--curve={curve}", f"--metrics={folder}/m")
    assert re.search(r"note: ended by a signal after step \d+ of 2000000$", said), said
    assert "</svg>" in curve.read_text()
    assert (folder / "m").read_text().endswith("}\n")
    subprocess.run(["weir-run", library, "--train", *command[3:], f"--restore={saved}"],
                   check=True, stdout=subprocess.DEVNULL)
assert "--save=PATH keeps the variables" in ended_by(signal.SIGINT)

# Every second of six steps is saved: a kill leaves a checkpoint of the training so far.
often = folder / "often"
process = subprocess.Popen(command + ["--epochs=1000000", f"--save={often}", "--save-every=2"],
                           stdout=subprocess.DEVNULL)
index = pathlib.Path(f"{often}.index")
while not index.exists():
    time.sleep(0.01)
process.kill()
process.wait()
subprocess.run(command + [f"--restore={often}"], check=True, stdout=subprocess.DEVNULL)

# A checkpoint that cannot be written is a warning, except for the last one.
lost = folder / "lost"
lost.mkdir()
process = subprocess.Popen(command + ["--epochs=1000000", f"--save={lost}/x", "--save-every=2"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                           preexec_fn=heeds)
while not (lost / "x.index").exists():
    time.sleep(0.01)
lost.rename(folder / "gone")
assert "warning: step" in process.stderr.readline()
process.send_signal(signal.SIGINT)
said = process.communicate(timeout=60)[1]
assert process.returncode in (74, -signal.SIGINT) and "cannot write checkpoint" in said, said

# On a terminal the bar has a line of its own.
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command + ["--epochs=3000"])
output = b""
try:
    while block := os.read(terminal, 65536):
        output += block
except OSError:
    pass
os.waitpid(pid, 0)
lines = output.decode().replace("\r\n", "\n").split("\n")
bars = 0
for line in lines:
    bars += "left" in line
    shown = line.split("\r")[-1]
    assert not ("left" in shown and "loss" in shown and re.search(r"left +epoch", shown)), line
    if re.match(r"epoch \d+: ", shown):
        assert "[" not in shown, line
assert bars, "there was no bar"

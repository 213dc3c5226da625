"""Checks the files of weir-run --profile=FILE and --trace=FILE.

  profile.py profile FILE RUNS CALLS MULTIPLY_ADDS [INPUTS NODE...]
  profile.py functions FILE RUNS RAN OTHERS
  profile.py trace PROFILE FILE RUNS THREADS [CHUNK...]
  profile.py overlap FILE NODE NODE

A task must have run CALLS times in each run. MULTIPLY_ADDS are those of one call of
each kernel. The nodes are the names of those that compute, and no input is among them.
A CHUNK is the name of an event.
No check depends on how long anything takes, but for sums that no clock can change
and for two clocks that agree.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

ROUNDING = 0.01  # microseconds, of numbers that are printed with three digits


def read(file):
    return json.loads(Path(file).read_text())


def sums(profile, name):
    rows = defaultdict(lambda: [0, 0.0, 0, 0])
    for task in profile["tasks"]:
        if task["calls"]:
            row = rows[name(task)]
            row[0] += 0 if task["phase"] else task["calls"]
            row[1] += task["us"]
            row[2] += task["calls"] * (task["bytes_read"] + task["bytes_written"])
            row[3] += task["calls"] * task["multiply_adds"]
    return rows


def check_rows(profile, rows, wanted):
    assert {row["name"] for row in rows} == set(wanted)
    assert rows == sorted(rows, key=lambda row: -row["us"])
    for row in rows:
        calls, us, count, multiply_adds = wanted[row["name"]]
        assert row["calls"] == calls and row["bytes"] == count
        assert row["multiply_adds"] == multiply_adds
        assert abs(row["us"] - us) <= ROUNDING * len(profile["tasks"])


def check_sums(profile, runs):
    assert profile["runs"] == runs
    tasks = sum(task["us"] for task in profile["tasks"])
    room = ROUNDING * (len(profile["tasks"]) + 1)
    assert abs(tasks - profile["sum_us"]) <= room
    assert profile["sum_us"] <= profile["runs_us"] + room
    # The processor's clock measures the runs, and the system's the calls.
    assert profile["runs_us"] <= 1.01 * profile["measured_us"] + 1
    check_rows(profile, profile["kernels"], sums(profile, lambda task: task["kernel"]))
    check_rows(profile, profile["nodes"], sums(
        profile, lambda task: ", ".join(task["nodes"]) or f"[{task['kernel']}]"))


def check_profile(file, runs, calls, multiply_adds, inputs="", *nodes):
    profile = read(file)
    check_sums(profile, int(runs))
    assert int(calls) * int(runs) in [task["calls"] for task in profile["tasks"]]
    ran = [task for task in profile["tasks"] if task["calls"]]
    assert sum(task["multiply_adds"] for task in ran) == int(multiply_adds)
    names = {node for task in profile["tasks"] for node in task["nodes"]}
    assert names.issuperset(nodes), names
    assert not names & set(inputs.split(",")), names
    for task in profile["tasks"]:
        if not task["phase"]:
            assert task["bytes_read"] or task["bytes_written"], task


def check_functions(file, runs, ran, others):
    profile = read(file)
    check_sums(profile, int(runs))
    calls = defaultdict(set)
    for task in profile["tasks"]:
        calls[task["function"]].add(task["calls"])
    assert profile["function"] == ran
    assert set(calls) == {ran, *others.split(",")}
    assert calls[ran] == {int(runs)}, calls
    assert all(calls[other] == {0} for other in others.split(",")), calls


def inside(a, b):
    return (a["ts"] >= b["ts"] - ROUNDING
            and a["ts"] + a["dur"] <= b["ts"] + b["dur"] + 2 * ROUNDING)


def kernels(tasks, event):
    return set(tasks[event["args"]["task"]]["kernel"].split(" + "))


def check_trace(profile_file, file, runs, threads, *chunks):
    tasks, trace = read(profile_file)["tasks"], read(file)
    named = {e["tid"] for e in trace if e["ph"] == "M" and e["name"] == "thread_name"}
    assert named == set(range(int(threads)))
    events = [e for e in trace if e["ph"] == "X"]
    of = defaultdict(list)
    for event in events:
        of[event["cat"]].append(event)
        assert event["pid"] == 1 and event["dur"] >= 0
    assert len(of["run"]) == int(runs)
    assert {e["tid"] for e in of["run"] + of["task"]} == {0}
    # Kernels of a region are in the table, too, and have chunks only.
    assert len(of["task"]) == int(runs) * sum(task["calls"] > 0 for task in tasks)
    for event in of["task"] + of["chunk"]:
        task = tasks[event["args"]["task"]]
        nodes = ", ".join(task["nodes"])
        kernel = f"[{task['kernel']}]"
        assert event["name"] == (f"{nodes} {kernel}" if nodes else kernel)
    assert all(any(inside(e, run) for run in of["run"]) for e in of["task"])
    for event in of["chunk"] + of["wait"]:
        own = kernels(tasks, event)
        around = [t for t in of["task"] if kernels(tasks, t) >= own]
        assert any(inside(event, task) for task in around), event
    # The regions are shared: each thread computes or waits.
    lanes = {e["tid"] for e in of["chunk"] + of["wait"]}
    if int(threads) > 1:
        assert lanes == named, lanes
    assert {e["name"] for e in of["chunk"]}.issuperset(chunks), of["chunk"]


def check_overlap(file, left, right):
    """In some run, two threads compute chunks of two nodes at the same time."""
    chunks = [e for e in read(file) if e["ph"] == "X" and e["cat"] == "chunk"]
    one = [e for e in chunks if left in e["name"]]
    other = [e for e in chunks if right in e["name"]]
    assert any(
        a["tid"] != b["tid"] and a["ts"] < b["ts"] + b["dur"] and b["ts"] < a["ts"] + a["dur"]
        for a in one
        for b in other
    ), chunks


CHECKS = {
    "profile": check_profile,
    "functions": check_functions,
    "trace": check_trace,
    "overlap": check_overlap,
}
CHECKS[sys.argv[1]](*sys.argv[2:])

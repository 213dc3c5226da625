"""formula.py OUT: simulated times of schedules whose time is a formula, within 2 %."""

import json
import subprocess
import sys
from pathlib import Path

OUT = Path(sys.argv[1])
BANDWIDTH, LATENCY, RATE = 12.5e9, 3e-6, 40e9  # bytes and seconds
LONG, SHORT, KERNELS = 8e6, 2048, 1e-3

# Two hosts and one link in each direction.
(OUT / "two.xml").write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <host id="host-10" speed="1Gf"/>
    <host id="host-9" speed="1Gf"/>
    <link id="wire" bandwidth="{BANDWIDTH}Bps" latency="{LATENCY}s" sharing_policy="SPLITDUPLEX"/>
    <route src="host-9" dst="host-10" symmetrical="NO"><link_ctn id="wire" direction="UP"/></route>
    <route src="host-10" dst="host-9" symmetrical="NO"><link_ctn id="wire" direction="DOWN"/></route>
  </zone>
</platform>
""")


def simulate(function, ranks=2, platform="two.xml", *options):
    done = subprocess.run(["weir", "simulate", "net.so", f"--platform={platform}", f"--function={function}",
                           f"--ranks={ranks}", "--json=-", *options], cwd=OUT, capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["simulated"]


def check(name, got, expected):
    good = abs(got - expected) <= 0.02 * expected
    print(f"{name}: {'as the formula' if good else f'{got} instead of {expected}'}")


# Half of the tensor is sent, half is added, and the other half of the sum is sent.
half = LATENCY + LONG / 2 / BANDWIDTH
add = LONG / 2 / RATE
check("whole", simulate("whole")["step_seconds"], KERNELS + 2 * half + add)
check("slow additions", simulate("whole", 2, "two.xml", "--additions=4")["step_seconds"], KERNELS + 2 * half + 10 * add)
check("short kernels", simulate("whole", 2, "two.xml", "--compute=0.0001")["step_seconds"], 1e-4 + 2 * half + add)
# Both steps are behind kernels, and only the addition costs time.
check("hidden", simulate("hidden")["step_seconds"], KERNELS + add)
check("late", simulate("late")["step_seconds"], KERNELS + add + half)
check("tiny", simulate("tiny")["step_seconds"] - KERNELS, LATENCY + SHORT / BANDWIDTH + SHORT / RATE)
# The transfers of both share the link, and the additions of both follow each other.
two = simulate("two")["step_seconds"] - KERNELS
check("two", two, 2 * (LATENCY + 2 * LONG / 2 / BANDWIDTH) + add)
check("parts", simulate("parts")["step_seconds"], KERNELS + half)

# 8 ranks halve three times, each step over two links; 7/8 of the tensor goes each way.
for ranks in (8, 6):
    subprocess.run(["weir", "simulate", f"--make-platform=fat{ranks}.xml", f"--ranks={ranks}", "--bandwidth=100Gbps",
                    "--latency=1500ns"], cwd=OUT, check=True)  # fmt: skip
hops = 4  # up and down two levels of switches
eight = simulate("whole", 8, "fat8.xml")
check("eight ranks", eight["step_seconds"], KERNELS + 2 * 7 / 8 * LONG / BANDWIDTH + 7 / 8 * LONG / RATE
      + 2 * (2 + hops + hops) * 1.5e-6)  # fmt: skip
log = eight["collectives"][0]
assert log["sent_bytes_of_rank"] == 2 * 7 / 8 * LONG and log["sent_bytes"] == 8 * 2 * 7 / 8 * LONG, log
assert log["messages"] == 8 * 6, log
# Two ranks give their tensors to others before, and get the sum after.
check("six ranks", simulate("whole", 6, "fat6.xml")["step_seconds"],
      KERNELS + 2 * LONG / BANDWIDTH + LONG / RATE + 2 * 3 / 4 * LONG / BANDWIDTH + 3 / 4 * LONG / RATE)

# The critical path has no gap, and ends at the end of the step.
path = eight["critical_path"]
assert path[0]["kind"] == "compute" and path[0]["begin_seconds"] == 0
assert all(a["end_seconds"] == b["begin_seconds"] for a, b in zip(path, path[1:])), path
assert path[-1]["node"] == "long" and path[-1]["end_seconds"] == eight["step_seconds"]
assert path[-1]["transfers"] == 6, path
print("the critical path is whole")

"""The vector widths of this machine."""

LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


def host_flags():
    with open("/proc/cpuinfo") as info:
        return set(next((l for l in info if l.startswith("flags")), "").split())


def host_levels():
    flags = host_flags()
    needs = [{"sse4_2"}, {"avx2", "fma"}, {"avx512f", "avx512vl", "avx512bw"}]
    return [level for level, need in zip(LEVELS, needs) if need <= flags]

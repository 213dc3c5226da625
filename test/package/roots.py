"""Fresh Debian roots for tests of packages, made by debootstrap and kept.

    roots.py make CACHE SUITE ROOT [PACKAGE...]   ROOT becomes a fresh copy
    roots.py run ROOT COMMAND...                  runs a command inside, as root
    roots.py complete ROOT LINE                   LINE as bash inside completes it

The mirror is that of the machine's own apt sources.
"""

import fcntl
import os
import pty
import select
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

# A user's environment inside: only the proxy comes from the machine's environment.
INSIDE = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root", "TERM": "xterm", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
    **{name: os.environ[name] for name in ("http_proxy", "https_proxy", "no_proxy")
       if name in os.environ},
}
MOUNTS = "mount -t proc proc $0/proc && exec chroot $0 \"$@\""


def mirror():
    """The archive that this machine installs its own release from, or None."""
    codename = subprocess.run(["sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME"],
                              capture_output=True, text=True).stdout.strip()
    try:
        targets = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(REPO_URI)",
             "Created-By: Packages"], capture_output=True, text=True).stdout
    except OSError:
        return None
    for line in targets.splitlines():
        if line.startswith(f"{codename} main "):
            return line.split()[2]
    return None


def obstacle(cache, suite):
    """The reason why no root of the suite is available, or None."""
    if os.geteuid() != 0:
        return "the user is not root"
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode:
        return "a mount namespace is not allowed"
    if (Path(cache) / suite).exists():
        return None
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed"
    address = mirror()
    if not address:
        return "the apt sources name no Debian mirror"
    try:
        urllib.request.urlopen(f"{address}dists/{suite}/Release", timeout=10).close()
    except OSError as error:
        return f"the Debian mirror does not answer: {error}"
    return None


def run(root, command, **options):
    """Runs a command inside, with separate processes and mounts."""
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "sh", "-c", MOUNTS, root,
                           *command], env=INSIDE, **options)


def check(result, log):
    """Ends the program if a command that makes a root has failed."""
    if result.returncode:
        sys.exit(f"{log.name} says why there is no root")


def kept(cache, suite, packages):
    """The root in CACHE, which is created if it is missing."""
    root = cache / "-".join([suite, *packages])
    if root.exists():
        return root
    part = cache / "part"
    shutil.rmtree(part, ignore_errors=True)
    with open(cache / "log", "w") as log:
        if packages:
            subprocess.run(["cp", "-a", kept(cache, suite, []), part], check=True)
            install = "apt-get update && apt-get install -y --no-install-recommends \"$@\""
            check(run(part, ["sh", "-c", install, "sh", *packages], stdout=log, stderr=log), log)
        else:
            check(subprocess.run(["debootstrap", "--variant=minbase", suite, part, mirror()],
                                 stdout=log, stderr=log), log)
    # Both would only enlarge the copies.
    shutil.rmtree(part / "var/cache/apt", ignore_errors=True)
    shutil.rmtree(part / "var/lib/apt/lists", ignore_errors=True)
    part.rename(root)
    return root


def make(cache, suite, root, packages):
    """ROOT becomes a copy of the root in CACHE."""
    cache = Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(root, ignore_errors=True)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["cp", "-a", "--reflink=auto", kept(cache, suite, packages), root], check=True)


def complete(root, line):
    """Returns LINE, completed by bash, when a user types it and a tab."""
    shell, terminal = pty.fork()
    if shell == 0:
        os.chroot(root)
        os.chdir("/")
        os.execve("/bin/bash", ["bash", "--norc", "-i"], {**INSIDE, "PS1": "ready> "})
    shown = b""

    def until(text):
        """Reads the terminal up to a text, and returns what comes before it."""
        nonlocal shown
        while text not in shown:
            if not select.select([terminal], [], [], 30)[0]:
                sys.exit(f"bash shows no {text}: {shown}")
            shown += os.read(terminal, 4096)
        before, _, shown = shown.partition(text)
        return before.decode()

    until(b"ready> ")
    os.write(terminal, b". /usr/share/bash-completion/bash_completion; echo load''ed\n")
    until(b"loaded")
    until(b"ready> ")
    os.write(terminal, line.encode() + b"\t")
    until(line.encode())
    added = until(b" ")
    os.close(terminal)
    os.waitpid(shell, 0)
    return line + added


if __name__ == "__main__":
    command, where, *rest = sys.argv[1:]
    if command == "make":
        make(where, rest[0], rest[1], rest[2:])
    elif command == "complete":
        print(complete(where, rest[0]))
    else:
        sys.exit(run(where, rest).returncode)

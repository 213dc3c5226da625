"""terminal.py [NAME=VALUE...] COMMAND...: runs COMMAND on a terminal of 60 columns.

Prints the terminal's input, with <ESC> for the escape character and <CR> for a carriage return
without a new line. Exits with the command's status. An empty VALUE removes the variable.
"""

import os
import pty
import struct
import sys
import fcntl
import termios

arguments = sys.argv[1:]
while "=" in arguments[0]:
    name, value = arguments.pop(0).split("=", 1)
    os.environ.pop(name, None)
    if value:
        os.environ[name] = value
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("4H", 24, 60, 0, 0))
    os.execvp(arguments[0], arguments)
text = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:  # the other side is closed
        break
    if not part:
        break
    text += part
text = text.decode().replace("\r\n", "\n").replace("\x1b", "<ESC>").replace("\r", "<CR>")
print(text, end="")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

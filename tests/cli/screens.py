"""What the tests of screens share: a program on a terminal of some size."""
import fcntl, os, pty, select, struct, termios


def on_terminal(words, columns=80, rows=24, patience=60, **environment):
    """The bytes that a terminal is sent; None where nothing comes for `patience` seconds."""
    ready, go = os.pipe()
    pid, terminal = pty.fork()
    if pid == 0:
        os.close(go)
        os.read(ready, 1)  # until the screen has its size
        for name in ("COLUMNS", "LINES", "NO_COLOR", "COLORTERM", "FOLIOT_GRAPHICS", "KITTY_WINDOW_ID"):
            os.environ.pop(name, None)
        os.environ.update(LANG="C.UTF-8", TERM="xterm-256color")
        os.environ.update(environment)
        os.execv(words[0], words)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.close(go)
    os.close(ready)
    out = b""
    while select.select([terminal], [], [], patience)[0]:
        try:
            some = os.read(terminal, 65536)
        except OSError:
            break
        if not some:
            break
        out += some
    else:
        os.kill(pid, 9)
        out = None
    os.waitpid(pid, 0)
    os.close(terminal)
    return out

"""What a terminal draws of a field, decoded as the terminal does, has the field's values: as kitty's
image, as sixels and in half blocks.

    pictures.py FOLIOT
"""
import base64, csv, os, re, subprocess, sys, tempfile

from screens import on_terminal

foliot = os.path.abspath(sys.argv[1])
failures = []


def kitty(out):
    """Rows of (r, g, b): the pieces of ESC _ G ... ; base64 ESC \\, joined."""
    pieces = re.findall(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\", out)
    keys = dict(pair.split(b"=") for pair in pieces[0][0].split(b","))
    wide, high = int(keys[b"s"]), int(keys[b"v"])
    data = base64.b64decode(b"".join(p[1] for p in pieces))
    assert keys[b"f"] == b"24" and len(data) == 3 * wide * high, keys
    return [[tuple(data[3 * (y * wide + x) :][:3]) for x in range(wide)] for y in range(high)]


def sixel(out):
    """'#' defines or chooses a colour, '!' repeats, '$' goes back to the left, '-' six rows down."""
    body = re.search(rb"\x1bP[0-9;]*q(.*?)\x1b\\", out, re.S).group(1).decode()
    colours, dots, x, y, colour = {}, {}, 0, 0, 0
    for token in re.finditer(r'"[0-9;]*|#(\d+)(;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|([$-])', body):
        if token.group(1):
            colour = int(token.group(1))
            if token.group(2):
                colours[colour] = tuple(int(token.group(k)) * 255 / 100 for k in (3, 4, 5))
        elif token.group(7) or token.group(8):
            bits = ord(token.group(7) or token.group(8)) - 63
            for _ in range(int(token.group(6) or 1)):
                for b in range(6):
                    if bits >> b & 1:
                        dots[x, y + b] = colours[colour]
                x += 1
        elif token.group(9) == "$":
            x = 0
        elif token.group(9) == "-":
            x, y = 0, y + 6
    wide, high = max(x for x, _ in dots) + 1, max(y for _, y in dots) + 1
    assert len(dots) == wide * high, "there are holes in the image"
    return [[dots[x, y] for x in range(wide)] for y in range(high)]


def half_blocks(out):
    """The upper half has the colour of the letter, the lower one that behind it."""
    rows = []
    for line in out.decode().split("\r\n"):
        upper, lower, front, back = [], [], None, None
        for token in re.finditer(r"\x1b\[([0-9;]*)m|(▀)", line):
            if token.group(2):
                upper.append(front)
                lower.append(back)
                continue
            numbers = [int(n or 0) for n in token.group(1).split(";")]
            while numbers:
                kind = numbers.pop(0)
                if kind in (38, 48):
                    assert numbers.pop(0) == 2
                    rgb = tuple(numbers.pop(0) for _ in range(3))
                    front, back = (rgb, back) if kind == 38 else (front, rgb)
        if len(upper) >= 20 and upper != lower:  # of the scale both are the same
            rows += [upper, lower]
    return rows


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    place = [0.0] * len(values)
    for rank, i in enumerate(order):
        place[i] = rank
    return place


def correlation(a, b):
    n, ma, mb = len(a), sum(a) / len(a), sum(b) / len(b)
    ab = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    return ab / (sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b)) ** 0.5


def height(rgb):
    """Rising with the value where there are two signs: blue below, white at zero, red above."""
    r, g, b = rgb
    depth = 255 - (0.2126 * r + 0.7152 * g + 0.0722 * b)
    return depth if r >= b else -depth


def compare(model, size, how, dots):
    """Ranks of what is seen at the nodes against those of the values; turned pictures are worse. Nodes
    whose colour is nearly white have no sign that could be seen."""
    nx, ny = size
    wide, high = len(dots[0]), len(dots)
    seen = [
        height(dots[round((1 - j / (ny - 1)) * (high - 1))][round(i / (nx - 1) * (wide - 1))])
        for j in range(ny)
        for i in range(nx)
    ]
    truth = values[model]
    turned = [truth[j * nx + nx - 1 - i] for j in range(ny) for i in range(nx)]
    upside = [truth[(ny - 1 - j) * nx + i] for j in range(ny) for i in range(nx)]
    most = max(map(abs, truth))
    clear = [k for k in range(nx * ny) if abs(truth[k]) > 0.03 * most]
    right, wrong, other = (
        correlation(ranks([seen[k] for k in clear]), ranks([of[k] for k in clear]))
        for of in (truth, turned, upside)
    )
    wrong = max(wrong, other)
    if not (len(clear) > 50 and right > (0.95 if how == "half blocks" else 0.98) and right > wrong + 0.1):
        failures.append(f"{model} as {how}: correlation {right:.4f}, of a turned picture {wrong:.4f}")


os.chdir(tempfile.mkdtemp())
values = {}
models = {"wave-2d": (22, 22)}
for model, size in models.items():
    subprocess.run([foliot, "run", model, "--signals", "x[*]", "-q", "-o", "x.csv"], check=True)
    last = [float(v) for v in list(csv.reader(open("x.csv")))[-1][1:]]
    os.unlink("x.csv")
    values[model] = last[: size[0] * size[1]]
    run = [foliot, "run", model]
    compare(model, size, "kitty's image", kitty(on_terminal(run, TERM="xterm-kitty")))
    compare(model, size, "sixels", sixel(on_terminal(run, FOLIOT_GRAPHICS="sixel")))
    compare(model, size, "half blocks", half_blocks(on_terminal(run, COLORTERM="truecolor")))

# Somebody who looks on draws frame over frame: behind every line what stood there is wiped.
name = f"pictures-{os.getpid()}"
live = [foliot, "live", "wave-2d", "--plain", "--quiet", "--share", name, "--stop", "2"]
running = subprocess.Popen(live, stdin=subprocess.PIPE)
out = b"no shared state"
while out and re.search(b"no shared state|not .yet. a shared|can be read", out) and running.poll() is None:
    out = on_terminal([foliot, "watch", name])
running.stdin.close()
running.wait()
lines = (out or b"").split(b"\r\n")[:-1]
if not lines or not all(line.endswith(b"\x1b[K") for line in lines):
    failures.append(f"what is watched is not wiped: {(lines or [out])[-1]!r}")
os.rmdir(os.getcwd())
print("\n".join(failures) or "the pictures have the field's values")
sys.exit(bool(failures))

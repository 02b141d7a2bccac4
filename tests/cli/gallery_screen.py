"""Every model of the gallery on a terminal of 80 x 24: the plot is in view when the run has ended, with at
most eight lines below it, and no line is wider than the screen.

    gallery_screen.py FOLIOT
"""
import os, re, subprocess, sys, tempfile

from screens import on_terminal

COLUMNS, ROWS = 80, 24
foliot = os.path.abspath(sys.argv[1])


def lines_of(out):
    """Without colours; of a line that was written again, what it was at last."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.decode()).replace("\r\n", "\n")
    lines = [line.split("\r")[-1] for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def judged(name):
    out = on_terminal([foliot, "run", name], COLUMNS, ROWS)
    if out is None:
        return "silent for a minute"
    lines = lines_of(out)
    drawn = [i for i, line in enumerate(lines) if re.search("[┤└│▀━\u2800-\u28ff]", line)]
    if len(drawn) < 8:
        return "there is no plot: " + " | ".join(lines)
    below = len(lines) - 1 - drawn[-1]
    if below > 8:
        return f"{below} lines below the plot"
    if len(lines) - drawn[0] > ROWS - 1:
        return f"the plot has scrolled away: {len(lines) - drawn[0]} lines from its top to the end"
    if not any("computed in" in line for line in lines[drawn[-1] :]):
        return "nothing is said of the run below the plot"
    floors = [i for i, line in enumerate(lines) if "└" in line]
    if floors and not any("━━" in line for line in lines[floors[-1] :]):
        return "the last panel has no legend"
    wide = [line for line in lines if len(line) > COLUMNS]
    return f"wider than the screen: '{wide[0]}'" if wide else None


os.chdir(tempfile.mkdtemp())
names = subprocess.run([foliot, "models", "--names"], capture_output=True, text=True, check=True)
names = names.stdout.split()
failed = 0
for name in names:
    fault = judged(name)
    if fault:
        failed += 1
        print(f"{name}: {fault}")
# A narrow screen: lines wrap between words, and a number is not cut, which would be another one.
for name in ("double-pendulum", "wedge-on-wave", "rlc-circuit"):
    lines = lines_of(on_terminal([foliot, "run", name], 40, ROWS))
    wide = [line for line in lines if len(line) > 40]
    cut = [line for line in lines if re.search(r"= [-0-9.e]+ …", line)]
    if wide or cut:
        failed += 1
        print(f"{name} on 40 columns: '{(wide + cut)[0]}'")
os.rmdir(os.getcwd())
print(f"{len(names)} models, {failed} failed")
sys.exit(failed > 0 or len(names) < 50)

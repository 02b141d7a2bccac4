"""A desk to talk to: one process of `foliot desk`."""
import json
import struct
import subprocess


class Desk:
    def __init__(self, program, *options, before=None):
        self.process = subprocess.Popen(
            [program, "desk", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            preexec_fn=before
        )
        self.ids = 0
        self.diagnostics = {}
        self.done = {}
        self.answers = {}

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the desk has ended")
        message = json.loads(line)
        frame = self.process.stdout.read(message["bytes"]) if "bytes" in message else b""
        if message.get("on") == "diagnostics":
            self.diagnostics[message["doc"]] = message
        if message.get("on") == "done":
            self.done[message["run"]] = message
        if "id" in message:
            self.answers[message["id"]] = message
        return message, frame

    def send(self, do, **members):
        """Asks without waiting for the answer."""
        self.ids += 1
        request = {"id": self.ids, "do": do, **members}
        self.process.stdin.write((json.dumps(request) + "\n").encode())
        self.process.stdin.flush()

    def ask(self, do, **members):
        self.send(do, **members)
        asked = self.ids
        while True:
            message, frame = self.receive()
            if message.get("id") == asked:
                return message, frame

    def good(self, do, **members):
        message, frame = self.ask(do, **members)
        if "error" in message:
            raise SystemExit(f"{do} {members}: {message['error']}")
        return (message["ok"], frame) if frame else message["ok"]

    def open(self, name, text):
        doc = self.good("open", name=name, text=text)["doc"]
        while doc not in self.diagnostics:
            self.receive()
        return doc

    def run(self, doc, **members):
        answer = self.good("run", doc=doc, **members)
        while answer["run"] not in self.done:
            self.receive()
        return answer, self.done[answer["run"]]

    def columns(self, run):
        """Time and signals of all rows."""
        _, frame = self.good("rows", run=run)
        columns, rows = struct.unpack_from("<II", frame, 16)
        at = 32 + 8 * columns
        return [struct.unpack_from(f"<{rows}d", frame, at + 8 * rows * j) for j in range(columns)]

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def offset(text, place):
    """The index of [line, column] in a Python string; columns count UTF-16."""
    lines = text.split("\n")
    at = sum(len(line) + 1 for line in lines[: place[0]])
    units = 0
    for letter in lines[place[0]] if place[0] < len(lines) else "":
        if units >= place[1]:
            break
        units += 2 if ord(letter) > 0xFFFF else 1
        at += 1
    return at


def apply(text, edits):
    """The text with all edits made, which count from the text as it is."""
    for edit in sorted(edits, key=lambda e: e["from"], reverse=True):
        a, b = offset(text, edit["from"]), offset(text, edit["to"])
        text = text[:a] + edit["text"] + text[b:]
    return text

// Two desks that are spoken to in the same way: the program over a pipe, and the module.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Splitter, openDesk } from "../../web/engine/wasm.mjs";

/** Whatever a desk says, in order; waits for what is asked of it. */
class Talk {
  constructor() {
    this.said = [];
    this.waiting = null;
  }
  hear(message, bytes, line) {
    if (message.on === "progress") return; // how often depends on how fast it is
    this.said.push({ message, bytes, line });
    this.settle();
  }
  settle() {
    if (!this.waiting) return;
    const found = this.said.findIndex(({ message }) => this.waiting.wanted(message));
    if (found < 0) return;
    const { resolve } = this.waiting;
    this.waiting = null;
    resolve(this.said.splice(0, found + 1));
  }
  /** What is said up to the first message that is wanted. */
  until(wanted) {
    return new Promise((resolve) => {
      this.waiting = { wanted, resolve };
      this.settle();
    });
  }
}

export class NativeDesk extends Talk {
  constructor(command) {
    super();
    this.child = spawn(command[0], [...command.slice(1), "desk"], { stdio: ["pipe", "pipe", "inherit"] });
    const splitter = new Splitter((...all) => this.hear(...all));
    this.child.stdout.on("data", (bytes) => splitter.add(bytes));
  }
  send(text, bytes) {
    this.child.stdin.write(`${text}\n`);
    if (bytes) this.child.stdin.write(bytes);
  }
  async work() {}
  close() {
    this.child.stdin.end();
  }
}

export class WebDesk extends Talk {
  static async open(folder) {
    const self = new WebDesk();
    const files = JSON.parse(readFileSync(`${folder}/models.json`, "utf8"));
    const more = () => readFileSync(`${folder}/foliot-more.wasm`);
    self.desk = await openDesk(readFileSync(`${folder}/foliot.wasm`), { files, more, patience: 60000 });
    self.desk.onmessage((...all) => self.hear(...all));
    return self;
  }
  send(text, bytes) {
    this.desk.send(text, bytes);
  }
  async work() {
    while (this.desk.work(1e6));
  }
  close() {
    this.desk.close();
  }
}

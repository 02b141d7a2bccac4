// Starts `foliot studio` for a test, and speaks HTTP to it without a browser's good manners.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const program = process.env.FOLIOT ?? "build/check/foliot";

export function freshFolder() {
  const path = mkdtempSync(join(tmpdir(), "foliot-studio-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Resolves with the address when the first line is there. */
export function startStudio(folder, ...more) {
  const child = spawn(program, ["studio", folder, "--port", "0", ...more], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  let complained = "";
  const ended = new Promise((resolve) =>
    child.on("exit", (code, signal) => resolve({ code, signal })),
  );
  return new Promise((resolve, reject) => {
    child.stderr.on("data", (bytes) => (complained += bytes));
    child.on("exit", () => reject(new Error(`foliot studio ended: ${complained}`)));
    child.stdout.on("data", (bytes) => {
      printed += bytes;
      const end = printed.indexOf("\n");
      if (end < 0) return;
      const address = printed.slice(0, end);
      const url = new URL(address);
      resolve({
        address,
        port: Number(url.port),
        token: url.pathname.split("/")[1],
        child,
        ended,
        async stop() {
          child.kill("SIGTERM");
          return ended;
        },
      });
    });
  });
}

/** Sends a request as it is written, and resolves with {status, headers, body}. */
export function request(port, method, path, headers = {}, body = "") {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const all = { Host: `127.0.0.1:${port}`, Connection: "close", ...headers };
    if (body || method === "PUT") all["Content-Length"] ??= Buffer.byteLength(body);
    const lines = Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}: ${value}\r\n`);
    let answer = Buffer.alloc(0);
    socket.setTimeout(60000, () => {
      socket.destroy();
      reject(new Error(`no answer to ${method} ${path}`));
    });
    socket.on("error", reject);
    socket.on("data", (bytes) => (answer = Buffer.concat([answer, bytes])));
    socket.on("close", () => resolve(parse(answer)));
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.write(body);
  });
}

function parse(answer) {
  const end = answer.indexOf("\r\n\r\n");
  const [first = "", ...lines] = answer
    .subarray(0, Math.max(end, 0))
    .toString("latin1")
    .split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  return { status: Number(first.split(" ")[1] ?? 0), headers, body: answer.subarray(end + 4) };
}

/** A WebSocket by hand: resolves with the status of the handshake and what speaks through it. */
export function openSocket(port, path, headers = {}) {
  const socket = connect(port, "127.0.0.1");
  const all = {
    Host: `127.0.0.1:${port}`,
    Origin: `http://127.0.0.1:${port}`,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "foliot-desk",
    ...headers,
  };
  const lines = Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  let bytes = Buffer.alloc(0);
  let status = 0;
  let closed = false;
  let wake = () => {};
  const heard = { text: "", stream: Buffer.alloc(0) };
  const take = () => {
    const end = bytes.indexOf("\r\n\r\n");
    if (!status && end >= 0) {
      status = Number(bytes.toString("latin1").split(" ")[1]);
      bytes = bytes.subarray(end + 4);
    }
    for (let frame; status === 101 && (frame = takeFrame(bytes)); bytes = frame.rest) {
      if (frame.code === 1) heard.text += frame.body;
      else if (frame.code === 8) socket.end();
      else heard.stream = Buffer.concat([heard.stream, frame.body]);
    }
    wake();
  };
  socket.on("data", (more) => {
    bytes = Buffer.concat([bytes, more]);
    take();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
    wake();
  });
  const until = async (what) => {
    const limit = Date.now() + 60000;
    while (!what()) {
      if (Date.now() > limit) throw new Error("waited in vain");
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, 200);
      });
    }
  };
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return until(() => status || closed).then(() => ({
    status,
    heard,
    until,
    isClosed: () => closed,
    send: (body, code = 2) => socket.write(makeFrame(Buffer.from(body), code)),
    close: () => socket.destroy(),
  }));
}

function takeFrame(bytes) {
  if (bytes.length < 2) return undefined;
  let size = bytes[1] & 127;
  let at = 2;
  if (size === 126) [size, at] = [bytes.length >= 4 ? bytes.readUInt16BE(2) : Infinity, 4];
  else if (size === 127)
    [size, at] = [bytes.length >= 10 ? Number(bytes.readBigUInt64BE(2)) : Infinity, 10];
  if (bytes.length < at + size) return undefined;
  return {
    code: bytes[0] & 15,
    body: bytes.subarray(at, at + size),
    rest: bytes.subarray(at + size),
  };
}

function makeFrame(body, code) {
  const head = Buffer.alloc(14);
  head[0] = 0x80 | code;
  let at = 2;
  if (body.length < 126) {
    head[1] = body.length;
  } else if (body.length < 65536) {
    head[1] = 126;
    at = head.writeUInt16BE(body.length, 2);
  } else {
    head[1] = 127;
    at = head.writeBigUInt64BE(BigInt(body.length), 2);
  }
  head[1] |= 0x80; // masked, by zeros
  return Buffer.concat([head.subarray(0, at + 4), body]);
}

// What `foliot studio` lets in, and what it does with files.
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { freshFolder, openSocket, request, startStudio } from "./studio.mjs";

let folder, outside, studio, port, token, own;
before(async () => {
  folder = freshFolder();
  outside = freshFolder();
  writeFileSync(join(folder.path, "ball.mo"), "model Ball end Ball;");
  writeFileSync(join(folder.path, "notes.txt"), "not a model");
  writeFileSync(join(folder.path, ".hidden.mo"), "hidden");
  writeFileSync(join(outside.path, "secret.mo"), "secret");
  symlinkSync(join(outside.path, "secret.mo"), join(folder.path, "link.mo"));
  symlinkSync(outside.path, join(folder.path, "way"));
  mkdirSync(join(folder.path, "inner.mo"));
  studio = await startStudio(folder.path);
  ({ port, token } = studio);
  own = { Origin: `http://127.0.0.1:${port}`, "Accept-Encoding": "gzip" };
});
after(async () => {
  await studio?.stop();
  folder?.remove();
  outside?.remove();
});

const at = (path) => `/${token}/${path}`;

test("the page comes with its policy", async () => {
  const { status, headers, body } = await request(port, "GET", at(""), {
    "Accept-Encoding": "gzip",
  });
  assert.equal(status, 200);
  assert.match(headers["content-type"], /^text\/html/);
  assert.match(gunzipSync(body).toString(), /<title>Foliot/);
  const policy = headers["content-security-policy"];
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/);
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["access-control-allow-origin"], undefined);
});

test("everything that the page names is there", async () => {
  const { body } = await request(port, "GET", at(""), { "Accept-Encoding": "gzip" });
  const names = [
    ...gunzipSync(body)
      .toString()
      .matchAll(/(?:src|href)="([^"#:]+)"/g),
  ].map((m) => m[1]);
  assert.ok(names.length >= 2);
  for (const name of names) {
    const { status } = await request(port, "GET", at(name), own);
    assert.equal(status, 200, name);
  }
});

test("a foreign host, origin, token, path and method are refused", async () => {
  const get = async (path, headers) =>
    (await request(port, "GET", path, { ...own, ...headers })).status;
  assert.equal(await get(at(""), { Host: "example.org" }), 403);
  assert.equal(await get(at(""), { Host: `example.org:${port}` }), 403);
  assert.equal(await get(at(""), { Host: `127.0.0.1.example.org:${port}` }), 403);
  assert.equal(await get(at(""), { Host: undefined }), 403);
  assert.equal(await get(at(""), { Host: `127.0.0.1:${port + 1}` }), 403);
  assert.equal(await get(at("files/"), { Origin: "http://example.org" }), 403);
  assert.equal(await get(at("files/"), { Origin: "null" }), 403);
  assert.equal(await get(at("files/"), { Origin: `http://127.0.0.1:${port + 1}` }), 403);
  assert.equal(await get(at("files/"), { Origin: `https://127.0.0.1:${port}` }), 403);
  assert.equal(await get(at("files/"), { Host: `localhost:${port}`, Origin: undefined }), 200);
  assert.equal(await get("/"), 403);
  assert.equal(await get("/files/"), 403);
  assert.equal(await get(`/${"0".repeat(32)}/`), 403);
  assert.equal(await get(`/${token.slice(0, 31)}/`), 403);
  assert.equal(await get(`/${token.slice(0, 31)}${token[31] === "0" ? "1" : "0"}/`), 403);
  assert.equal(await get(`/${token}`), 403);
  assert.equal(await get(at("nothing.js")), 404);
  assert.equal(await get(at("../../etc/passwd")), 403);
  for (const method of ["POST", "DELETE", "OPTIONS", "PATCH", "HEAD"]) {
    const { status } = await request(port, method, at("files/ball.mo"), own);
    assert.ok(status >= 400, `${method}: ${status}`);
  }
  assert.equal((await request(port, "PUT", at("main.js"), own, "x")).status, 405);
});

test("a socket needs host, origin, token, path and protocol", async () => {
  const status = async (path, headers) => {
    const socket = await openSocket(port, path, headers);
    socket.close();
    return socket.status;
  };
  assert.equal(await status(at("desk"), {}), 101);
  for (const [path, headers] of [
    [at("desk"), { Origin: undefined }],
    [at("desk"), { Origin: "http://example.org" }],
    [at("desk"), { Host: "example.org" }],
    [at("desk"), { "Sec-WebSocket-Protocol": "foliot-pipe" }],
    [at("desk"), { "Sec-WebSocket-Protocol": "foliot-watch" }],
    [at("desk"), { "Sec-WebSocket-Protocol": undefined }],
    [at("other"), {}],
    ["/desk", {}],
    [`/${"0".repeat(32)}/desk`, {}],
  ]) {
    assert.notEqual(await status(path, headers), 101, `${path} ${JSON.stringify(headers)}`);
  }
});

test("models are listed and read, nothing else is", async () => {
  const list = JSON.parse((await request(port, "GET", at("files/"), own)).body);
  assert.deepEqual(
    list.map((file) => file.name),
    ["ball.mo"],
  );
  const read = async (name) => request(port, "GET", at(`files/${name}`), own);
  const ball = await read("ball.mo");
  assert.equal(ball.body.toString(), "model Ball end Ball;");
  assert.equal(ball.headers["x-stamp"], list[0].stamp);
  for (const name of [
    "link.mo",
    "way/secret.mo",
    "notes.txt",
    ".hidden.mo",
    "inner.mo",
    "../ball.mo",
    "..%2fball.mo",
    "%2e%2e/ball.mo",
    "%2fetc%2fpasswd.mo",
    "/etc/passwd",
    "none.mo",
    "a%00.mo",
    "a%5cb.mo",
    "%ff.mo",
    `${"x".repeat(200)}.mo`,
    `${"x".repeat(3000)}.mo`,
  ]) {
    const { status, body } = await read(name);
    assert.ok(status === 0 || status >= 400, `${name}: ${status}`);
    assert.doesNotMatch(body.toString(), /secret|hidden|root:/);
  }
});

test("a file is written whole, and not over what somebody else has written", async () => {
  const put = async (name, was, text, headers = own) =>
    request(port, "PUT", at(`files/${name}?was=${encodeURIComponent(was)}`), headers, text);
  const first = await put("new model.mo".replace(" ", "%20"), "", "one");
  assert.equal(first.status, 200);
  const path = join(folder.path, "new model.mo");
  assert.equal(readFileSync(path, "utf8"), "one");
  chmodSync(path, 0o640);
  assert.equal((await put("new%20model.mo", "", "two")).status, 409);
  const stamp = first.body.toString().trim();
  const second = await put("new%20model.mo", stamp, "two");
  assert.equal(second.status, 200);
  assert.equal(statSync(path).mode & 0o777, 0o640);
  writeFileSync(path, "by an editor");
  assert.equal((await put("new%20model.mo", second.body.toString().trim(), "three")).status, 409);
  assert.equal(readFileSync(path, "utf8"), "by an editor");
  assert.equal((await put("new%20model.mo", "*", "three")).status, 200);
  assert.equal((await put("t%C3%BCr.mo", "", "umlaut")).status, 200);
  assert.equal(readFileSync(join(folder.path, "tür.mo"), "utf8"), "umlaut");
  const large = "x".repeat(1000000);
  assert.equal((await put("large.mo", "", large)).status, 200);
  assert.equal(readFileSync(join(folder.path, "large.mo"), "utf8"), large);
  assert.equal((await put("larger.mo", "", large + "y")).status, 413);
  assert.equal(
    (await put("foreign.mo", "", "x", { ...own, Origin: "http://example.org" })).status,
    403,
  );
  assert.equal((await put("foreign.mo", "", "x", { ...own, Origin: undefined })).status, 403);
  assert.equal((await put("x.txt", "", "x")).status, 404);
  assert.equal((await put("link.mo", "*", "x")).status, 403);
  assert.equal((await put("inner.mo", "*", "x")).status, 403);
  assert.ok((await put("..%2fup.mo", "*", "x")).status >= 400);
  assert.equal((await request(port, "PUT", at("files/x.mo"), own, "x")).status, 400);
  assert.equal(readFileSync(join(outside.path, "secret.mo"), "utf8"), "secret");
  assert.ok(!existsSync(join(folder.path, "..", "up.mo")));
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => name.startsWith(".foliot")),
    [],
  );
});

test("a socket is a desk of its own, and hears of changes on disk", async () => {
  const a = await openSocket(port, at("desk"));
  const b = await openSocket(port, at("desk"));
  a.send('{"id": 1, "do": "hello", "versions": [1]}\n');
  await a.until(() => a.heard.stream.includes('"version": 1'));
  assert.equal(b.heard.stream.length, 0);
  writeFileSync(join(folder.path, "beside.mo"), "model B end B;");
  await b.until(() => b.heard.text.includes("files"));
  a.close();
  b.close();
});

test("runs and live models leave the files of sinks as they are", async () => {
  const diagram = {
    format: "foliot diagram",
    simulation: { start: 0, stop: 2, step: 0.1, integrator: "dp45" },
    nodes: [
      { name: "x", type: "Integrator", parameters: { "Initial Condition": 1 } },
      { name: "decay", type: "Gain", parameters: { Gain: -0.5 } },
      { name: "file", type: "To File", parameters: { "File Name": "x.dat" } },
    ],
    lines: [
      { from: "x", to: "decay", branches: [{ to: "file" }] },
      { from: "decay", to: "x" },
    ],
  };
  const kept = "0 1\n0.1 0.95\n";
  writeFileSync(join(folder.path, "x.dat"), kept);
  const s = await openSocket(port, at("desk"));
  const ask = (message) => s.send(`${JSON.stringify(message)}\n`);
  ask({ id: 1, do: "open", name: "a.json", text: JSON.stringify(diagram) });
  ask({ id: 2, do: "live", doc: 1, clock: 0 });
  ask({ id: 3, do: "frame", live: 2, clock: 900000000 });
  ask({ id: 4, do: "record", live: 2 });
  ask({ id: 5, do: "run", doc: 1, stop: 1 });
  const heard = (what) => s.heard.stream.includes(what);
  await s.until(() => heard('"on": "done"') || heard('"error"'));
  assert.ok(heard('"status": "reached"') && !heard('"error"'), s.heard.stream.toString("latin1"));
  assert.equal(readFileSync(join(folder.path, "x.dat"), "utf8"), kept);
  s.close();
});

test("megabytes pass both ways, cut anywhere", async () => {
  const s = await openSocket(port, at("desk"));
  const text = `model M "${"x".repeat(900000)}" end M;`;
  for (let id = 1; id <= 3; id++) {
    s.send(`{"id": ${2 * id}, "do": "open", "name": "m.mo", "text": ${JSON.stringify(text)}}\n`);
    s.send(`{"id": ${2 * id + 1}, "do": "text", "doc": ${id}}\n`);
  }
  await s.until(() => s.heard.stream.length > 2700000);
  assert.ok(s.heard.stream.includes("x".repeat(900000)));
  s.close();
});

test("a desk has limits: addresses, no file, no core, and it ends with its socket", async () => {
  const server = studio.child.pid;
  const desks = () => readFileSync(`/proc/${server}/task/${server}/children`, "utf8").trim();
  const pause = () => new Promise((done) => setTimeout(done, 20));
  for (let i = 0; i < 200 && desks(); i++) await pause(); // those of the tests before
  const s = await openSocket(port, at("desk"));
  s.send('{"id": 1, "do": "hello"}\n');
  await s.until(() => s.heard.stream.length > 0);
  const desk = desks();
  const limits = readFileSync(`/proc/${desk}/limits`, "utf8");
  assert.match(limits, /^Max file size +0 /m);
  assert.match(limits, /^Max core file size +0 /m);
  // a sanitizer reserves terabytes of addresses
  if (!readFileSync(`/proc/${server}/exe`).includes("__asan_init"))
    assert.match(limits, /^Max address space +4294967296 /m);
  s.close();
  for (let i = 0; i < 200 && desks(); i++) await pause();
  assert.equal(desks(), "");
});

test("nonsense is answered, and the number of desks is limited", async () => {
  const s = await openSocket(port, at("desk"));
  s.send("not json at all\n");
  await s.until(() => s.heard.stream.includes("parse"));
  s.send("text", 1); // the desk's stream is binary
  await s.until(() => s.isClosed());
  const sockets = [];
  for (let i = 0; i < 16; i++) sockets.push(await openSocket(port, at("desk")));
  assert.ok(sockets.every((socket) => socket.status === 101));
  assert.notEqual((await openSocket(port, at("desk"))).status, 101);
  sockets.forEach((socket) => socket.close());
  await sockets[0].until(() => true);
  let again;
  do again = await openSocket(port, at("desk"));
  while (again.status !== 101);
  again.close();
});

test("it ends when it is told to, and its desks with it", async () => {
  const { code } = await studio.stop();
  assert.equal(code, 0);
});

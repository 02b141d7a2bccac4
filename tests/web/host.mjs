// What web/engine/wasm*.mjs promises: bytes cut anywhere, answers longer than a buffer, files, desks
// of their own, hostile documents that never end the engine, and a worker.
//
//   node host.mjs <folder with foliot.wasm>
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { openDesk } from "../../web/engine/wasm.mjs";

const [folder] = process.argv.slice(2);
const bytes = readFileSync(`${folder}/foliot.wasm`);
const module = await WebAssembly.compile(bytes);
const moreBytes = readFileSync(`${folder}/foliot-more.wasm`);
const more = await WebAssembly.compile(moreBytes);
const encoder = new TextEncoder();
let count = 0;
async function test(name, body) {
  try {
    await body();
    count++;
  } catch (why) {
    console.log(`${name}: ${why.stack}`);
    process.exitCode = 1;
  }
}

function hear(desk) {
  const said = [];
  desk.onmessage((message, frame) => said.push({ ...message, frame }));
  return said;
}
function finish(desk) {
  while (desk.work(1e5));
}
/** Asks in turn; the answers' members, and the bytes behind them. */
function asker(desk) {
  const said = hear(desk);
  let last = 0;
  const ask = (what, members = {}) => {
    const id = ++last;
    desk.send({ id, do: what, ...members });
    finish(desk);
    const { ok, error, frame } = said.find((m) => m.id === id);
    return { ...ok, error, frame };
  };
  return { said, ask };
}
const texts = [
  '{"id": 1, "do": "open", "name": "lorenz"}',
  '{"id": 2, "do": "run", "doc": 1, "interval": 0.0005}',
  '{"id": 3, "do": "rows", "run": 2, "signals": [0, 1, 2]}',
];

await test("cut anywhere, one answer", async () => {
  const [whole, cut] = [await openDesk(module, { more }), await openDesk(bytes, { more: () => moreBytes })];
  const [one, other] = [hear(whole), hear(cut)];
  for (const text of texts) {
    whole.send(text);
    finish(whole);
    for (const byte of encoder.encode(`${text}\n`)) {
      cut.send(Uint8Array.of(byte));
      cut.work(0);
    }
    finish(cut);
  }
  const quiet = (list) => list.filter((m) => m.on !== "progress");
  assert.deepEqual(quiet(one), quiet(other));
  assert.ok(one.at(-1).frame.length > 1 << 17, "longer than a buffer");
});

await test("a budget is kept, and others are answered meanwhile", async () => {
  const desk = await openDesk(module, { more });
  const said = hear(desk);
  desk.send({ id: 1, do: "open", name: "lorenz" });
  desk.send({ id: 2, do: "run", doc: 1, stop: 1e7, interval: 1e6, solver: "rk4", step: 1e-3 });
  const begun = performance.now();
  assert.equal(desk.work(5000), true);
  assert.ok(performance.now() - begun < 500, "some milliseconds");
  desk.send({ id: 3, do: "describe", doc: 1 });
  assert.equal(desk.work(5000), true);
  assert.ok(said.some((m) => m.id === 3 && m.ok));
  desk.send({ id: 4, do: "cancel", run: 2 });
  finish(desk);
  assert.ok(said.some((m) => m.on === "done" && m.status !== "reached"));
});

await test("files are those that the host gives", async () => {
  const text = "model M \"mine\"\n Real x(start = 1, fixed = true);\nequation der(x) = -x;\nend M;\n";
  const desk = await openDesk(module, { more, files: { "gallery/deep/m.mo": text } });
  const said = hear(desk);
  desk.send({ id: 1, do: "gallery" });
  desk.send({ id: 2, do: "open", name: "m" });
  desk.send({ id: 3, do: "describe", doc: 1 });
  desk.send({ id: 4, do: "open", name: "/etc/passwd" });
  desk.send({ id: 5, do: "open", name: "../../m.mo" });
  finish(desk);
  assert.ok(said[0].ok.models.some((m) => m.name === "m" && m.about === "mine"));
  assert.equal(said.find((m) => m.id === 3).ok.name, "M");
  const bad = said.filter((m) => m.on === "diagnostics" && m.doc > 1 && m.runs);
  assert.deepEqual(bad, []);
});

await test("hostile documents end in answers", async () => {
  const desk = await openDesk(module, { more, memory: 50e6 });
  const said = hear(desk);
  const deep = "(".repeat(200000), list = "[".repeat(200000);
  const documents = [
    ["a.mo", `model A Real x; equation x = ${deep}1;end A;`],
    ["b.mo", `model A Real x; equation x = ${"-".repeat(300000)}1;end A;`],
    ["c.mo", `model A Real x[100000000]; equation for i in 1:100000000 loop der(x[i]) = i; end for; end A;`],
    ["d.mo", `model A A a; end A;`],
    ["e.mo", `function f input Real x; output Real y; algorithm y := f(x + 1); end f; model A parameter Real p = f(1); Real x = p; end A;`],
    ["f.json", list],
    ["g.json", '{"nodes": 7}'],
    ["h.structure.json", `{"lattice": ${list}}`],
    ["i.field.json", '{"grid": {"nodes": [1e9, 1e9]}}'],
    ["j.mo", "\u0001\ufffd"],
  ];
  for (const [i, [name, text]] of documents.entries()) {
    desk.send({ id: 2 * i, do: "open", name, text });
    finish(desk);
    desk.send({ id: 2 * i + 1, do: "run", doc: i + 1 });
    finish(desk);
  }
  for (let id = 0; id < 2 * documents.length; id++)
    assert.ok(said.some((m) => m.id === id), `${id} has no answer`);
});

const ball = `model Ball "one that bounces"
  parameter Real e = 0.8;
  Real h(start = 1, fixed = true), v;
  output Real energy = v^2/2 + 9.81*h;
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
  annotation(experiment(StopTime = 3));
end Ball;
`;
const rod = `model Rod
  constant Integer n = 100;
  Real T[n](each start = 0, each fixed = true);
equation
  der(T[1]) = 50*(sin(time) - 2*T[1] + T[2]);
  for i in 2:n - 1 loop
    der(T[i]) = 50*(T[i-1] - 2*T[i] + T[i+1]) - abs(T[i])*exp(-T[i]);
  end for;
  der(T[n]) = 50*(T[n-1] - T[n]);
  annotation(experiment(StopTime = 0.1));
end Rod;
`;

await test("a text needs the first module alone", async () => {
  const { said, ask } = asker(await openDesk(module));
  ask("hello", { versions: [1] });
  for (const text of [ball, rod, "model Wrong Real x; equation der(x) = y; end Wrong;"]) {
    const { doc } = ask("open", { name: "m.mo", text });
    ask("describe", { doc });
    for (const solver of ["dp45", "rk4", undefined]) ask("run", { doc, solver, step: 1e-3 });
  }
  assert.equal(said.filter((m) => m.on === "done" && m.status === "reached").length, 6);
});

await test("without the second module the desk ends, and says why", async () => {
  const desk = await openDesk(module);
  desk.send({ id: 1, do: "open", name: "lorenz" });
  desk.send({ id: 2, do: "run", doc: 1 });
  assert.throws(() => finish(desk), /foliot-more\.wasm/);
  assert.throws(() => desk.work(), /foliot-more\.wasm/);
});

// As many as come and go: the places of one in the table are those of the next.
await test("programs are modules, which go with them", async () => {
  const { Module } = WebAssembly;
  const sizes = [];
  let grown = 0;
  const { grow } = WebAssembly.Table.prototype;
  WebAssembly.Module = new Proxy(Module, {
    construct: (target, [bytes]) => (sizes.push(bytes.length), new target(bytes)),
  });
  WebAssembly.Table.prototype.grow = function (count, ...rest) {
    grown += count;
    return grow.call(this, count, ...rest);
  };
  try {
    const { ask } = asker(await openDesk(module));
    let after = 0;
    for (let i = 0; i < 40; i++) {
      const { doc } = ask("open", { name: "m.mo", text: i % 2 ? rod : ball });
      const { run } = ask("run", { doc, solver: "rk4", step: 1e-4 }); // long enough for a module
      ask("forget", { run });
      ask("close", { doc });
      if (i === 1) after = grown;
    }
    assert.equal(sizes.length, 40);
    assert.ok(sizes.every((size) => size > 100));
    assert.equal(grown, after);
  } finally {
    WebAssembly.Module = Module;
    WebAssembly.Table.prototype.grow = grow;
  }
});

await test("a host that refuses modules gets the same rows by bytecode", async () => {
  const { Module } = WebAssembly;
  const rows = [];
  for (const refuses of [false, true]) {
    const { ask } = asker(await openDesk(module));
    if (refuses)
      WebAssembly.Module = new Proxy(Module, {
        construct() {
          throw new WebAssembly.CompileError("refused");
        },
      });
    try {
      for (const text of [ball, rod])
        for (const solver of ["dp45", "rk4"]) {
          const { doc } = ask("open", { name: "m.mo", text });
          const { run } = ask("run", { doc, solver, step: 1e-4, rtol: 1e-10, atol: 1e-10 });
          const { frame } = ask("rows", { run, signals: [0, 1] });
          rows.push(Buffer.from(frame.subarray(32)).toString("hex"));
        }
    } finally {
      WebAssembly.Module = Module;
    }
  }
  assert.ok(rows.every((hex) => hex.length > 1000));
  assert.deepEqual(rows.slice(0, 4), rows.slice(4));
});

await test("what is not JSON is an error, and no end", async () => {
  const desk = await openDesk(module, { more });
  const said = hear(desk);
  desk.send("dance");
  desk.send('{"id": 1');
  desk.send({ id: 2, do: "hello", versions: [1] });
  finish(desk);
  assert.equal(said.filter((m) => m.error?.code === "parse").length, 2);
  assert.equal(said.at(-1).ok.version, 1);
});

await test("a desk that is closed says so", async () => {
  const desk = await openDesk(module, { more });
  desk.close();
  assert.throws(() => desk.work(), /closed/);
});

await test("no thread, file, or clock but the host's", () => {
  const known = /^(clock_time_get|proc_exit|fd_(close|fdstat_get|fdstat_set_flags|filestat_get|prestat_get|prestat_dir_name|read|readdir|seek|write)|path_(filestat_get|open))$/;
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    assert.equal(kind, "function");
    if (from === "foliot") {
      assert.match(name, /^(instantiate|release|more)$/);
      continue;
    }
    assert.equal(from, "wasi_snapshot_preview1");
    assert.match(name, known);
  }
});

// The worker's script in this thread, which is given what a worker has.
await test("a worker", async () => {
  const said = [];
  let tell;
  Object.assign(globalThis, {
    postMessage: (data) => said.push(data),
    addEventListener: (kind, listener) => (tell = (data) => listener({ data })),
    fetch: async (url) => {
      const found = { "foliot.wasm": bytes, "foliot-more.wasm": moreBytes, "models.json": '{"gallery/m.mo": "model M end M;"}' }[String(url).split("/").pop()];
      return new Response(found, { status: found ? 200 : 404, headers: { "content-type": "text/plain" } });
    },
  });
  await import("../../web/engine/wasm-worker.mjs");
  tell({ engine: "http://localhost/studio/foliot.wasm" });
  tell(encoder.encode('{"id": 1, "do": "gallery"}\n')); // before it is ready
  const until = async (done) => {
    for (let i = 0; i < 500 && !done(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.ok(done(), JSON.stringify(said));
  };
  await until(() => said.some((m) => m.bytes));
  assert.deepEqual(said[0], { ready: true });
  const answer = JSON.parse(Buffer.concat(said.slice(1).map((m) => m.bytes)).toString());
  assert.ok(answer.ok.models.some((m) => m.name === "m"));
  tell({ engine: "http://localhost/nowhere.wasm" });
  await until(() => said.some((m) => m.failed));
});

console.log(`${count} passed, ${process.exitCode ? 1 : 0} failed`);
process.exit();

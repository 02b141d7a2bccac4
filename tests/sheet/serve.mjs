// Serves the sheet's demo page with a desk behind it: node serve.mjs FOLIOT [PORT]. Prints its address.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, "../../web");

/** `foliot desk` as a function from a request to its answer; what it says by itself goes to `hear`. */
function openDesk(foliot, hear) {
  const child = spawn(foliot, ["desk"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map();
  let rest = Buffer.alloc(0);
  let last;
  let next = 1;
  const answer = (message, raw) => {
    const found = waiting.get(message.id);
    waiting.delete(message.id);
    found?.({ ...message, id: found.id, raw: raw?.toString("base64") });
  };
  child.stdout.on("data", (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      if (last) {
        if (rest.length < last.bytes) return;
        answer(last, rest.subarray(0, last.bytes));
        rest = rest.subarray(last.bytes);
        last = undefined;
      }
      const end = rest.indexOf(10);
      if (end < 0) return;
      const line = rest.subarray(0, end).toString();
      rest = rest.subarray(end + 1);
      if (!line.trim()) continue;
      const message = JSON.parse(line);
      if (message.bytes) last = message;
      else if (message.on) hear(line);
      else answer(message);
    }
  });
  return {
    ask: (text) =>
      new Promise((resolve) => {
        const request = JSON.parse(text);
        const id = next++;
        waiting.set(id, Object.assign(resolve, { id: request.id }));
        child.stdin.write(`${JSON.stringify({ ...request, id })}\n`);
      }),
    close: () => child.kill(),
  };
}

/** Builds the page into memory. */
function bundle(entry) {
  const { buildSync } = createRequire(join(web, "package.json"))("esbuild");
  const { outputFiles } = buildSync({
    absWorkingDir: web,
    entryPoints: [entry],
    outdir: "out",
    bundle: true,
    splitting: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
  });
  return new Map(outputFiles.map((f) => [f.path.slice(join(web, "out").length + 1), f.text]));
}

const types = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  json: "application/json",
};
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; media-src blob:";

export async function serve(
  foliot,
  { page = "sheet/demo.html", entry = "sheet/demo.ts", port = 0 } = {},
) {
  const files = bundle(entry);
  files.set("", await readFile(join(web, page), "utf8"));
  const streams = new Set();
  const desk = openDesk(foliot, (line) => {
    for (const stream of streams) stream.write(`data: ${line}\n\n`);
  });
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://x").pathname.slice(1);
    const send = (text, ending) => {
      response.writeHead(200, {
        "content-type": types[ending] ?? "text/plain",
        "content-security-policy": policy,
      });
      response.end(text);
    };
    if (path === "events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      streams.add(response);
      request.on("close", () => streams.delete(response));
    } else if (path === "ask") {
      const parts = [];
      for await (const part of request) parts.push(part);
      send(JSON.stringify(await desk.ask(Buffer.concat(parts).toString())), "json");
    } else if (/^models\/[\w-]+\.json$/.test(path)) {
      send(
        await readFile(join(here, "../../models/diagrams", path.slice(7)), "utf8").catch(() => ""),
        "json",
      );
    } else if (files.has(path)) send(files.get(path), path ? path.split(".").pop() : "html");
    else {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((go) => server.listen(port, "127.0.0.1", go));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close() {
      desk.close();
      for (const stream of streams) stream.end();
      server.closeAllConnections();
      server.close();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [foliot = "build/check/foliot", port = "0"] = process.argv.slice(2);
  console.log((await serve(foliot, { port: Number(port) })).address);
}

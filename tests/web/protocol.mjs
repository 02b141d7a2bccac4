// Every example of docs/protocol.md, sent to the module, has the answers of the page, byte by byte,
// and the same frames as the program's desk.
//
//   node protocol.mjs <foliot> <docs/protocol.md> <folder with foliot.wasm>
import { readFileSync } from "node:fs";
import { NativeDesk, WebDesk } from "./desk.mjs";

const [program, page, folder] = process.argv.slice(2);

function* examples(text) {
  let inside = false, sent = null, expected = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) inside = line === "```desk";
    if (inside && line.startsWith("< ")) expected.push(line.slice(2));
    if (sent && !line.startsWith("< ")) {
      yield { sent, expected };
      sent = null;
    }
    if (inside && line.startsWith("> ")) [sent, expected] = [line.slice(2), []];
  }
}

/** Each line, where "..." stands for anything; progress comes when it comes. */
function matches(expected, found) {
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const wanted = expected.filter((line) => !line.startsWith('{"on": "progress"'));
  return wanted.length === found.length &&
    wanted.every((line, i) => new RegExp(`^${line.split("...").map(escape).join(".*")}$`).test(found[i]));
}

/** The answers to a request and to what it began. */
async function ask(desk, sent, recording) {
  const request = JSON.parse(sent);
  desk.send(sent, request.do === "replay" ? recording : undefined);
  const heard = [];
  const listen = async (wanted) => {
    await desk.work();
    heard.push(...(await desk.until(wanted)));
  };
  await listen((m) => m.id === request.id);
  const failed = "error" in heard.at(-1).message;
  if (!failed && (request.do === "open" || request.do === "change")) await listen((m) => m.on === "diagnostics");
  const end = { run: "done", sweep: "swept" }[request.do];
  if (!failed && end && !heard.some((h) => h.message.on === end)) await listen((m) => m.on === end);
  return heard.filter((h) => h.message.on !== "progress");
}

const desks = [new NativeDesk([program]), await WebDesk.open(folder)];
const recordings = [undefined, undefined];
let wrong = 0, count = 0, bytes = 0;
for (const { sent, expected } of examples(readFileSync(page, "utf8"))) {
  const answers = [];
  for (const [i, desk] of desks.entries()) {
    const heard = await ask(desk, sent, recordings[i]);
    if (JSON.parse(sent).do === "record") recordings[i] = heard.at(-1).bytes;
    answers.push(heard);
  }
  const [native, web] = answers;
  const lines = web.map(({ line, bytes }) => line + (bytes ? ` (${bytes.length} bytes)` : ""));
  const same = web.every(({ bytes }, i) => Buffer.compare(bytes ?? Buffer.alloc(0), native[i]?.bytes ?? Buffer.alloc(0)) === 0);
  bytes += web.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  count++;
  if (same && matches(expected, lines)) continue;
  wrong++;
  console.log(`> ${sent}\n  expected:`, expected, "\n  found:", lines, same ? "" : "\n  other bytes in a frame");
}
for (const desk of desks) desk.close();
console.log(`${count} examples, ${bytes} bytes of frames, ${wrong} wrong`);
if (wrong || count < 30 || bytes < 100) process.exitCode = 1;

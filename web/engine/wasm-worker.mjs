// A desk in a Web Worker. The page sends, by postMessage,
//
//     { engine, models }      once: where foliot.wasm is, and models.json (beside it, unless told)
//     Uint8Array              bytes of messages of docs/protocol.md, cut anywhere
//
// and gets { ready: true }, then { bytes } for whatever the desk says, and { failed: text } when
// there is no desk, or none any more.
import { openDesk } from "./wasm.mjs";

const SLICE = 8000; // microseconds of work before the page's messages are looked at
let desk = null;
const early = [];

// A message to oneself comes after those that wait, at once; a timer would wait for milliseconds.
const again = new MessageChannel();
let running = false;
again.port1.onmessage = () => {
  running = false;
  run();
};

function run() {
  if (running || !desk) return;
  try {
    running = desk.work(SLICE);
  } catch (why) {
    desk = null;
    postMessage({ failed: why.message });
  }
  if (running) again.port2.postMessage(null);
}

async function compile(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  // a server that does not know the type is no reason to fail
  const streams = answer.headers.get("content-type")?.startsWith("application/wasm");
  return streams
    ? WebAssembly.compileStreaming(answer)
    : WebAssembly.compile(await answer.arrayBuffer());
}

// Without them the gallery has what is compiled into the engine.
async function documents(url) {
  try {
    const answer = await fetch(url);
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}

async function open({ engine, models }) {
  try {
    const [module, files] = await Promise.all([
      compile(engine),
      documents(models ?? new URL("models.json", engine)),
    ]);
    const fresh = await openDesk(module, { files });
    fresh.onbytes((bytes) => postMessage({ bytes }, [bytes.buffer]));
    desk = fresh;
  } catch (why) {
    postMessage({ failed: why.message });
    return;
  }
  postMessage({ ready: true });
  for (const bytes of early.splice(0)) desk.send(bytes);
  run();
}

addEventListener("message", ({ data }) => {
  if (!(data instanceof Uint8Array)) open(data);
  else if (!desk) early.push(data);
  else {
    desk.send(data);
    run();
  }
});

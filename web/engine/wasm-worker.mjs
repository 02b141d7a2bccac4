// A desk in a Web Worker. The page sends, by postMessage,
//
//     { engine, models, more }    once: where foliot.wasm is, and models.json and foliot-more.wasm
//                                 (beside it, unless told)
//     Uint8Array                  bytes of messages of docs/protocol.md, cut anywhere
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

// The second module is fetched behind the first; where it is needed before it is there the engine
// waits for it in a call, which only a request that blocks can end.
function second(url) {
  let module = null;
  compile(url).then(
    (made) => (module = made),
    () => {},
  );
  return () => {
    if (module) return module;
    const request = new XMLHttpRequest();
    request.open("GET", url, false);
    request.responseType = "arraybuffer";
    request.send();
    return request.status === 200 ? request.response : null;
  };
}

async function open({ engine, models, more }) {
  try {
    const [module, files] = await Promise.all([
      compile(engine),
      documents(models ?? new URL("models.json", engine)),
    ]);
    const fresh = await openDesk(module, {
      files,
      more: second(more ?? new URL("foliot-more.wasm", engine)),
    });
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

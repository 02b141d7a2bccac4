// A desk in a worker of this page: foliot.wasm.
import type { Carrier, Ears } from "./client.ts";

type FromWorker = { ready: true } | { bytes: Uint8Array } | { failed: string };

export function openWorker(ears: Ears): Promise<Carrier> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ("ready" in data) {
        resolve({
          send: (bytes) => worker.postMessage(bytes, [bytes.buffer]),
          close: () => worker.terminate(),
        });
      } else if ("bytes" in data) {
        ears.bytes(data.bytes);
      } else {
        reject(new Error(data.failed));
        ears.closed(data.failed);
      }
    };
    worker.onerror = (event) => {
      const why = event.message || "the engine's worker cannot be started";
      reject(new Error(why));
      ears.closed(why);
    };
    worker.postMessage({ engine: new URL("foliot.wasm", document.baseURI).href });
  });
}

// One run of a document at a desk (desk.mjs): the hash of all its rows and moments.
import { createHash } from "node:crypto";

const NUMBERS = 1000000; // in a frame

/** Asks a desk in turn: the answer's members, and the bytes behind it. */
export function asker(desk) {
  let last = 0;
  return async (what, members = {}) => {
    const id = ++last;
    desk.send(JSON.stringify({ id, do: what, ...members }));
    await desk.work();
    const { message, bytes } = (await desk.until((m) => m.id === id)).at(-1);
    return { ...message, bytes };
  };
}

/** All numbers of a run, as bytes, column by column; what stands before them in a frame are handles. */
async function* columns(ask, run, rows, count) {
  const most = Math.max(1, Math.floor(NUMBERS / (rows + 1)));
  for (let from = 0; from < count; from += most) {
    const signals = Array.from({ length: Math.min(most, count - from) }, (_, i) => from + i);
    const { bytes, error } = await ask("rows", { run, signals });
    if (error) throw new Error(error.text);
    yield bytes.subarray(32);
  }
}

/** Opens what `document` names (a name of the gallery, or a name and a text) and runs it, so many times. */
export async function runDocument(desk, ask, document, times = 1) {
  const opened = await ask("open", document);
  if (opened.error) return [{ why: opened.error.text }];
  const { doc } = opened.ok, results = [];
  for (let i = 0; i < times; i++) results.push(await runOnce(desk, ask, doc));
  await ask("close", { doc });
  return results;
}

async function runOnce(desk, ask, doc) {
  const started = await ask("run", { doc });
  const result = { why: started.error?.text };
  if (!started.ok) return result;
  const { run, signals } = started.ok;
  await desk.work();
  const done = (await desk.until((m) => m.on === "done" && m.run === run)).at(-1).message;
  const hash = createHash("sha256");
  result.done = JSON.stringify({ ...done, run: 0 });
  for await (const bytes of columns(ask, run, done.rows, signals.length)) hash.update(bytes);
  const moments = await ask("moments", { run, most: 1e9 });
  hash.update(JSON.stringify(moments.ok));
  result.hash = hash.digest("hex");
  result.rows = done.rows;
  await ask("forget", { run });
  return result;
}

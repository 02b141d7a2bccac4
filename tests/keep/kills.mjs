// Kills the studio while it saves: the file is the last one that was acknowledged, or the one that was
// being saved, whole.
//
//   FOLIOT=PROGRAM node kills.mjs [KILLS]
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { freshFolder, request, startStudio } from "../studio/studio.mjs";

const kills = Number(process.argv[2] ?? 5);
const text = (n) => `// ${n} ${"x".repeat((n * 7919) % 200000)}\nmodel M end M; // ${n}\n`;
const folder = freshFolder();
const path = join(folder.path, "m.mo");
let number = 0;
let acknowledged = -1;
let stamp = "";
let wrong = 0;
let interrupted = 0;

for (let i = 0; i < kills; i++) {
  const studio = await startStudio(folder.path);
  const headers = { Origin: `http://127.0.0.1:${studio.port}` };
  const where = `/${studio.token}/files/m.mo?was=`;
  let begun = number;
  const soon = setTimeout(() => studio.child.kill("SIGKILL"), 5 + ((i * 37) % 60));
  for (;;) {
    begun = number++;
    let answer;
    try {
      answer = await request(studio.port, "PUT", where + encodeURIComponent(stamp), headers, text(begun));
    } catch {
      break; // it is gone
    }
    if (answer.status === 0) break;
    if (answer.status !== 200) throw new Error(`status ${answer.status}: ${answer.body}`);
    acknowledged = begun;
    stamp = answer.body.toString().trim();
  }
  clearTimeout(soon);
  studio.child.kill("SIGKILL");
  await studio.ended;
  interrupted++;
  const names = readdirSync(folder.path).filter((name) => name.endsWith(".mo"));
  const there = names.includes("m.mo") ? readFileSync(path, "utf8") : "";
  const fine = there === text(begun) || there === (acknowledged < 0 ? "" : text(acknowledged));
  if (!fine) wrong++;
  // the one that was being saved may be there without a word: the next start asks for its version
  if (names.includes("m.mo")) {
    const again = await startStudio(folder.path);
    const answer = await request(again.port, "GET", `/${again.token}/files/m.mo`);
    stamp = answer.headers["x-stamp"] ?? "";
    if (answer.body.toString() !== there) wrong++;
    await again.stop();
    if (there === text(begun)) acknowledged = begun;
  }
}
folder.remove();
console.log(`${interrupted} kills, ${acknowledged + 1} saved, ${wrong} wrong`);
process.exit(wrong || interrupted < kills ? 1 : 0);

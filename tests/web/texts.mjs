// Generated texts by every way to run them: bytecode, machine code, cc -O2 and a WebAssembly module, which must
// agree in every bit of every row and every moment. Texts have all functions, arrays in loops, algebraic loops,
// conditions, clocks, state events and integers.
//
//   node texts.mjs <folder with foliot.wasm> <seed> <count> <foliot, with what runs it>...
//
// With FOLIOT_OTHER, a program with what runs it, in one word each, that one's desk is compared, too.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NativeDesk, WebDesk } from "./desk.mjs";
import { asker, runDocument } from "./run_desk.mjs";

const [folder, seed, count, ...command] = process.argv.slice(2);
const other = process.env.FOLIOT_OTHER?.split(" ");

// ------------------------------------------------------------------------------------------ texts

/** Numbers from a seed (splitmix, 32 bits of it). */
function drawing(seed) {
  let state = BigInt(seed) * 0x9e3779b97f4a7c15n;
  const next = () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return Number((z ^ (z >> 31n)) >> 33n);
  };
  const below = (n) => next() % n;
  return { below, one: (list) => list[below(list.length)], real: (lo, hi) => lo + ((hi - lo) * next()) / 2 ** 31 };
}

// Every function is defined for every argument here, and none is larger than a few tens.
const ONE = [
  "sin(%)", "cos(%)", "tan(0.4*sin(%))", "asin(0.95*sin(%))", "acos(0.95*cos(%))", "atan(%)", "sinh(sin(%))",
  "cosh(cos(%))", "tanh(%)", "exp(-abs(%))", "log(1 + (%)^2)", "log10(2 + (%)^2)", "sqrt(1 + (%)^2)", "abs(%)",
  "(%)/(1 + (%)^2)", "(1 + abs(%))^0.7", "(1.5 + sin(%))^cos(%)", "smooth(1, max(%, 0)^2/(1 + (%)^2))",
];
const TWO = [
  "(%) + (&)", "(%) - (&)", "sin(%)*cos(&)", "min(%, &)", "max(%, &)", "atan2(%, 1 + abs(&))", "(%)*exp(-(&)^2)",
  "(if % > & then 1 + (%) - (&) else exp(%/(1 + abs(%)) - (&)/(1 + abs(&))))",
];
// These jump: a state whose slope has them may come to where no solution goes on.
const JUMPS = [
  "sign(%)", "floor(3*sin(%))", "ceil(2*cos(%))", "integer(4*tanh(%))", "mod(%, 1 + abs(&))", "rem(%, 1.5 + (&)^2)",
  "div(3*tanh(%), 1 + abs(&))", "(if % > & then tanh(%) else sin(&))", "noEvent(if % > 0.25 then sin(%) else -0.5)",
];
function expression(d, leaves, depth, jumps = false) {
  if (depth === 0) return d.below(4) ? d.one(leaves) : `(${d.real(-2, 2).toPrecision(1 + d.below(17))})`;
  const form = jumps && d.below(3) === 0 ? d.one(JUMPS) : d.below(5) < 3 ? d.one(ONE) : d.one(TWO);
  const a = expression(d, leaves, depth - 1, jumps), b = expression(d, leaves, depth - 1, jumps);
  return form.replaceAll("%", a).replaceAll("&", b);
}

// Tables of the library, as many rows as make them operations, and what their texts need.
const TABLES = `type Smooth = enumeration(Linear, Akima, Constant, Monotone1, Monotone2, Modified);
type Extra = enumeration(Hold, LastTwo, Periodic, None);
class T1 extends ExternalObject;
  function constructor input String tableName; input String fileName; input Real table[:, :];
    input Integer columns[:]; input Smooth smoothness; input Extra extrapolation; output T1 t;
    external "C" t = ModelicaStandardTables_CombiTable1D_init2(table); end constructor;
  function destructor input T1 t; external "C" nothing(t); end destructor;
end T1;
function get1 input T1 t; input Integer icol; input Real u; output Real y;
  external "C" y = ModelicaStandardTables_CombiTable1D_getValue(t, icol, u); end get1;
class T2 extends ExternalObject;
  function constructor input String tableName; input String fileName; input Real table[:, :];
    input Smooth smoothness; input Extra extrapolation; output T2 t;
    external "C" t = ModelicaStandardTables_CombiTable2D_init2(table); end constructor;
  function destructor input T2 t; external "C" nothing(t); end destructor;
end T2;
function get2 input T2 t; input Real u; input Real v; output Real y;
  external "C" y = ModelicaStandardTables_CombiTable2D_getValue(t, u, v); end get2;
`;
function tables(seed) {
  const d = drawing(seed), rows = 10 + d.below(60), beyond = d.one(["Hold", "LastTwo", "Periodic"]);
  const ascending = (n) => Array.from({ length: n }, (_, i) => -4 + (8 * (i + 0.8 * d.real(0, 1))) / n);
  const one = ascending(rows).map((x) => `${x}, ${d.real(-1, 1)}`).join("; "), across = ascending(7);
  const two = ascending(9).map((x) => [x, ...across.map(() => d.real(-1, 1))].join(", "));
  const smooth = d.one(["Linear", "Akima", "Monotone1", "Monotone2", "Modified"]);
  return [
    `  parameter T1 one = T1("NoName", "NoName", [${one}], {2}, Smooth.${smooth}, Extra.${beyond});`,
    `  parameter T2 two = T2("NoName", "NoName", [${["0, " + across.join(", "), ...two].join("; ")}],`,
    `    Smooth.${d.one(["Linear", "Akima"])}, Extra.${beyond});`,
    "  Real g = get1(one, 1, 3*sin(x0) + q);", "  Real h = get2(two, 4*sin(2*time), 3*tanh(x0));",
  ];
}

function text(seed) {
  const d = drawing(seed), states = 1 + d.below(4), size = d.one([0, 0, 3, 9, 24]), loops = d.below(3);
  const xs = Array.from({ length: states }, (_, i) => `x${i}`), lines = [], equations = [];
  const leaves = [...xs, "p", "q", "time", "m", "n"];
  const depth = size ? 1 : 1 + d.below(2), tabled = seed % 3 === 1;
  if (tabled) lines.push(...tables(seed)), leaves.push("g", "h");
  lines.push(`  parameter Real p = ${d.real(0.1, 2)};`, `  parameter Real q = ${d.real(-1, 1)};`);
  for (const x of xs) {
    lines.push(`  Real ${x}(start = ${d.real(-1, 1)}, fixed = true);`);
    equations.push(`  der(${x}) = ${d.real(0.1, 3)}*tanh(${expression(d, leaves, depth + 1)}) - 0.5*${x};`);
  }
  lines.push("  discrete Real m(start = 0.25, fixed = true);", "  Integer n(start = 0, fixed = true);");
  equations.push(`  when sample(${d.real(0, 0.1)}, ${d.real(0.05, 0.4)}) then`);
  equations.push(`    m = sin(pre(m) + ${expression(d, ["p", "q", "time", ...xs], 2, true)});`, "  end when;");
  equations.push(`  when sin(${d.real(3, 9)}*time) > ${d.real(-0.5, 0.5)} then`);
  equations.push("    n = pre(n) + 1;", `    reinit(x0, 0.5*tanh(${expression(d, ["p", "q", ...xs], 2, true)}));`, "  end when;");
  for (let i = 0; i < loops; i++) {
    // strongly diagonal: one solution
    lines.push(`  Real y${i}, z${i};`);
    equations.push(`  y${i} + 0.2*sin(z${i}) + 0.1*y${i}^3 = tanh(${expression(d, leaves, 1)});`);
    equations.push(`  z${i} - 0.2*cos(y${i}) = ${d.one(xs)};`);
  }
  if (size) {
    const f = expression(d, ["a[i]", "a[i - 1]", "p", "x0"], 2);
    lines.push(`  Real a[${size}](start = {sin(0.37*i) for i in 1:${size}}, each fixed = true);`);
    equations.push(`  der(a[1]) = -a[1] + tanh(x0);`, `  for i in 2:${size} loop`, `    der(a[i]) = tanh(${f}) - 0.5*a[i];`, "  end for;");
  }
  lines.push("  output Real w;");
  equations.push(`  w = ${expression(d, [...leaves, ...Array.from({ length: loops }, (_, i) => `y${i}`)], depth + 1, true)};`);
  const stop = 20 + d.below(20); // long enough that machine code is made
  return `${tabled ? TABLES : ""}model R\n${lines.join("\n")}\nequation\n${equations.join("\n")}\n  annotation(experiment(StopTime=${stop}, Tolerance=1e-10));\nend R;\n`;
}

// ------------------------------------------------------------------------------------------- runs

const work = mkdtempSync(join(tmpdir(), "foliot-texts-"));
const file = join(work, "r.mo");
function printed(way) {
  try {
    return execFileSync(command[0], [...command.slice(1), "run", file, "-q", "--program", way, "-o", "-", "--events", join(work, "e")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (why) {
    return `exit ${why.status}: ${why.stderr}`;
  }
}

// The host makes an instance of each program's module.
let modules = 0;
WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(...given) {
    super(...given);
    modules++;
  }
};

const web = await WebDesk.open(folder), native = new NativeDesk(command), third = other && new NativeDesk(other);
const desks = [web, native, third].filter(Boolean).map((desk) => ({ desk, ask: asker(desk) }));
let wrong = 0, rows = 0, refused = 0;
for (let i = 0; i < Number(count); i++) {
  const content = text(Number(seed) + i);
  writeFileSync(file, content);
  const document = { name: "r.mo", text: content };
  const all = await Promise.all(desks.map(({ desk, ask }) => runDocument(desk, ask, document, 2)));
  const [first] = all[0], failed = (one) => one.why ?? `${one.done} ${one.hash}`;
  const same = all.flat().every((one) => failed(one) === failed(first));
  const ways = ["bytecode", "machine", ...(i % 5 ? [] : ["native"])].map(printed);
  if (!same || ways.some((one) => one !== ways[0])) {
    wrong++;
    console.log(`seed ${Number(seed) + i}: other rows\n${content}`);
    for (const list of all) console.log(list.map(failed).join("\n"));
  }
  if (first.why || ways[0].startsWith("exit")) {
    refused++;
    console.log(`seed ${Number(seed) + i}: ${first.why ?? ways[0]}`);
  }
  rows += first.rows ?? 0;
}
for (const { desk } of desks) desk.close();
rmSync(work, { recursive: true });
console.log(`${count} texts, ${rows} rows, ${modules} modules, ${wrong} with other bits, ${refused} refused`);
if (wrong || refused > Number(count) / 10 || modules < Number(count) / 2) process.exitCode = 1;

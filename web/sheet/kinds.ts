// The types of nodes as the desk's help tells them, and the ports that a node has with its parameters.
import { at, isList, isObject } from "../document/json.ts";
import type { Json, JsonObject } from "../document/json.ts";
import { nodesOf } from "../document/diagram.ts";
import type { NodeData } from "../document/diagram.ts";

export interface ParameterInfo {
  readonly name: string;
  readonly kind: string;
  readonly value?: string;
  readonly choices?: string;
  readonly about?: string;
}
export interface NodeKind {
  readonly name: string;
  readonly set: string;
  readonly about: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly parameters: readonly ParameterInfo[];
}
/** What the desk answers to `help`. */
export interface Topic {
  readonly kind: string;
  readonly name: string;
  readonly set?: string;
  readonly about?: string;
  readonly inputs?: string;
  readonly outputs?: string;
  readonly parameters?: readonly ParameterInfo[];
}
export interface Ports {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

const letters = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
const parts = (list: string | undefined): string[] => (list ? list.split("|") : []);

/** In names of types and parameters letters and digits count, their case does not. */
export class Kinds {
  readonly list: readonly NodeKind[];
  private readonly byName: ReadonlyMap<string, NodeKind>;

  constructor(topics: readonly Topic[]) {
    this.list = topics
      .filter((topic) => topic.kind === "node")
      .map((topic) => ({
        name: topic.name,
        set: topic.set ?? "Others",
        about: topic.about ?? "",
        inputs: topic.name === "Input Port" ? [] : parts(topic.inputs),
        outputs: topic.name === "Output Port" ? [] : parts(topic.outputs),
        parameters: topic.parameters ?? [],
      }));
    this.byName = new Map(this.list.map((kind) => [letters(kind.name), kind]));
  }
  find(type: string): NodeKind | undefined {
    return this.byName.get(letters(type));
  }
  /** The name of the type as the help has it. */
  typeOf(node: NodeData): string {
    return this.find(node.type)?.name ?? node.type;
  }
  /** A parameter of a node: what the document says, or what the type has. */
  value(node: NodeData, parameter: string): Json | undefined {
    const given = givenKey(node.parameters, parameter);
    if (given !== undefined) return node.parameters[given];
    const info = this.find(node.type)?.parameters.find(
      (p) => letters(p.name) === letters(parameter),
    );
    return info?.value;
  }
  text(node: NodeData, parameter: string): string {
    return valueText(this.value(node, parameter));
  }
}

/** How the document has written the name of a parameter, if it has it. */
export function givenKey(parameters: JsonObject, name: string): string | undefined {
  if (Object.hasOwn(parameters, name)) return name;
  return Object.keys(parameters).find((key) => letters(key) === letters(name));
}

export function valueText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (isList(value))
    return value.map(valueText).join(value.some((row) => isList(row)) ? ", " : " ");
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function counted(stem: readonly string[], count: number): string[] {
  const names = ["first", "second", "third"];
  return Array.from(
    { length: Math.min(Math.max(count, 1), 200) },
    (_, i) => names[i] ?? stem[i] ?? `${i + 1}`,
  );
}

// A text's own declarations: "input Real u, v(start = 1);".
function declared(text: string, word: "input" | "output"): string[] {
  const names: string[] = [];
  const plain = text.replaceAll(/\/\/.*$/gm, "").replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
  const pattern = new RegExp(`\\b${word}\\s+[\\w.]+\\s+([^;]*);`, "g");
  for (const [, list = ""] of plain.matchAll(pattern)) {
    let rest = list;
    while (/\([^()]*\)/.test(rest)) rest = rest.replaceAll(/\([^()]*\)/g, "");
    for (const part of rest.split(",")) {
      const name = /^\s*([A-Za-z_]\w*)/.exec(part)?.[1];
      if (name) names.push(name);
    }
  }
  return names;
}

function insidePorts(node: NodeData, root: Json): Ports {
  const definition = node.parameters.Definition;
  const diagram =
    node.json.diagram ??
    (typeof definition === "string" ? at(root, ["subsystems", definition]) : undefined);
  const inside = nodesOf(diagram);
  const named = (type: string): string[] =>
    inside.filter((n) => letters(n.type) === letters(type)).map((n) => n.name);
  return { inputs: named("Input Port"), outputs: named("Output Port") };
}

// Where the parameters say how many ports there are.
const rules: Readonly<
  Record<string, (node: NodeData, ports: Ports, kinds: Kinds, root: Json) => Ports>
> = {
  integrator: withReset,
  discreteintegrator: withReset,
  sum: withSigns,
  product: withSigns,
  mux: (node, ports, kinds) => ({
    ...ports,
    inputs: counted([], Number(kinds.text(node, "Inputs"))),
  }),
  multiportswitch: (node, ports, kinds) => ({
    ...ports,
    inputs: [...counted([], Number(kinds.text(node, "Inputs"))), "control"],
  }),
  demux: (node, ports, kinds) => {
    const given = kinds
      .text(node, "Outputs")
      .trim()
      .split(/[\s,]+/);
    const count = given.length > 1 ? given.length : Number(given[0]);
    return { ...ports, outputs: counted([], count) };
  },
  directlookuptable2d: (node, ports, kinds) =>
    kinds.text(node, "Action Type") === "column" ? { ...ports, inputs: ["column"] } : ports,
  logicaloperator: (node, ports, kinds) =>
    kinds.text(node, "Logical Operator").toUpperCase() === "NOT"
      ? { ...ports, inputs: ["u"] }
      : ports,
  subsystem: (node, _ports, _kinds, root) => insidePorts(node, root),
  modelicablock: (node, _ports, kinds) => {
    const value = kinds.value(node, "Text");
    const text = isList(value) ? value.map(valueText).join("\n") : valueText(value);
    return { inputs: declared(text, "input"), outputs: declared(text, "output") };
  },
};

function withReset(node: NodeData, ports: Ports, kinds: Kinds): Ports {
  const inputs = ["u"];
  if (letters(kinds.text(node, "External Reset")) !== "none") inputs.push("reset");
  if (letters(kinds.text(node, "Initial Condition Source")) === "external")
    inputs.push("initial condition");
  return { ...ports, inputs };
}
function withSigns(node: NodeData, ports: Ports, kinds: Kinds): Ports {
  const signs = kinds.text(node, "Signs").replaceAll(/[^-+*/]/g, "");
  return signs ? { ...ports, inputs: counted([], signs.length) } : ports;
}

/** The ports of a node; those of an unknown type are what lines lead to. */
export function portsOf(node: NodeData, kinds: Kinds, root: Json): Ports {
  const kind = kinds.find(node.type);
  const ports: Ports = kind ?? { inputs: [], outputs: [] };
  return rules[letters(node.type)]?.(node, ports, kinds, root) ?? ports;
}

/** The place of a port that is written as a number from 1 on or as a name; -1: there is none. */
export function portIndex(text: string, names: readonly string[]): number {
  const named = names.indexOf(text);
  if (named >= 0) return named;
  const folded = names.findIndex((name) => letters(name) === letters(text) && letters(text) !== "");
  const number = /^\d+$/.test(text) ? Number(text) - 1 : -1;
  return number >= 0 ? (number < names.length ? number : -1) : folded;
}

/** The sign of each input of a Sum or Product. */
export function signsOf(node: NodeData, kinds: Kinds): string[] {
  const signs = kinds.text(node, "Signs").replaceAll(/[^-+*/]/g, "");
  if (signs)
    return Array.from(signs, (s) => (s === "-" ? "−" : s === "*" ? "×" : s === "/" ? "÷" : s));
  if (letters(node.type) === "product")
    return ["×", letters(kinds.text(node, "Function")) === "division" ? "÷" : "×"];
  const sign = (name: string): string => (kinds.text(node, name) === "-" ? "−" : "+");
  return [sign("Sign of First Input"), sign("Sign of Second Input")];
}

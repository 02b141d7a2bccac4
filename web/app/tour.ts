// The tour: the model of a second-order equation, built by the one who takes it. It watches the document
// and goes on when a step is done, in whichever way; what is undone takes it back. It can be left and
// taken up again, because where it is follows from the document.
import { computed, signal } from "@preact/signals";
import { netsOf, nodesOf, parseReference, type NodeData } from "../document/diagram.ts";
import type { Json } from "../document/json.ts";
import { keepMine, work } from "./open.ts";
import { drafts, goTo, hashOf } from "./state.ts";

export interface Step {
  readonly title: string;
  readonly text: string;
  done(seen: Seen): boolean;
}

/** What a step may look at. */
export interface Seen {
  readonly nodes: readonly NodeData[];
  /** Whether the output of one node leads to another; of these numbered inputs, if given. */
  leads(from: string, to: string, input?: number): boolean;
  readonly simulation: Readonly<Record<string, unknown>>;
  readonly ran: boolean;
  readonly cursor: number | undefined;
}

const count = ({ nodes }: Seen, type: string) => nodes.filter((n) => n.type === type).length;
const has = ({ nodes }: Seen, name: string, type: string) =>
  nodes.some((n) => n.name === name && n.type === type);
const parameter = ({ nodes }: Seen, name: string, key: string) =>
  nodes.find((n) => n.name === name)?.parameters[key];
const isGain = (seen: Seen, name: string) =>
  has(seen, name, "Gain") && Number(parameter(seen, name, "Gain")) === Number(name);

export const steps: readonly Step[] = [
  {
    title: "Two integrators",
    text: "We solve y″ + 0.5 y′ + 11 y = 9 |sin 3.77 t|. Each derivative is integrated once: bring two Integrator nodes from the palette (or double-click the sheet and type integ).",
    done: (seen) => count(seen, "Integrator") >= 2,
  },
  {
    title: "Their names",
    text: "Select one and call it x2 in the panel to the right; call the other x1. x1 is y, x2 is y′.",
    done: (seen) => has(seen, "x1", "Integrator") && has(seen, "x2", "Integrator"),
  },
  {
    title: "The first line",
    text: "Drag from the output of x2 to the input of x1: y′ integrated is y.",
    done: (seen) => seen.leads("x2", "x1"),
  },
  {
    title: "Two gains",
    text: "Bring two Gain nodes, call them 0.5 and 11, and set the parameter Gain of each to its name. R rotates a node.",
    done: (seen) => isGain(seen, "0.5") && isGain(seen, "11"),
  },
  {
    title: "Branches",
    text: "Lead x2 to 0.5 and x1 to 11: drag again from the output, or from anywhere on its line.",
    done: (seen) => seen.leads("x2", "0.5") && seen.leads("x1", "11"),
  },
  {
    title: "The sums",
    text: "Bring two Sum nodes, sum1 and sum2. Lead both gains to sum1, sum1 to the second input of sum2, and set Sign of Second Input of sum2 to −. Lead sum2 to x2.",
    done: (seen) =>
      seen.leads("0.5", "sum1") &&
      seen.leads("11", "sum1") &&
      seen.leads("sum1", "sum2", 2) &&
      parameter(seen, "sum2", "Sign of Second Input") === "-" &&
      seen.leads("sum2", "x2"),
  },
  {
    title: "What drives it",
    text: "Bring a Clock (t), a Gain (3.77), a Trigonometric Function (its Function is sin), an Absolute and a Gain (9); lead each to the next, and 9 to the first input of sum2.",
    done: (seen) => {
      const sine = seen.nodes.find((n) => n.type === "Trigonometric Function")?.name ?? "";
      const absolute = seen.nodes.find((n) => n.type === "Absolute")?.name ?? "";
      const clock = seen.nodes.find((n) => n.type === "Clock")?.name ?? "";
      return (
        isGain(seen, "3.77") &&
        isGain(seen, "9") &&
        seen.leads(clock, "3.77") &&
        seen.leads("3.77", sine) &&
        seen.leads(sine, absolute) &&
        seen.leads(absolute, "9") &&
        seen.leads("9", "sum2", 1)
      );
    },
  },
  {
    title: "Something to look at",
    text: "Bring a Time vs Input node from the sinks and lead x1 to it.",
    done: (seen) => seen.nodes.some((n) => n.type === "Time vs Input" && seen.leads("x1", n.name)),
  },
  {
    title: "How it is run",
    text: "Click the empty sheet: the panel to the right shows the simulation. Choose an integrator (RK_DP), and 10 as its stop.",
    done: ({ simulation }) =>
      Boolean(simulation["integrator"]) && Number(simulation["stop"]) === 10,
  },
  {
    title: "Run",
    text: "Press Run, or Ctrl+Enter.",
    done: ({ ran }) => ran,
  },
  {
    title: "Read a value",
    text: "Move over the plot to t = 2: the value of y is above it.",
    done: ({ cursor }) => cursor !== undefined && Math.abs(cursor - 2) < 0.1,
  },
];

/** How far a document and its run are: the first step that is not done. */
export function reached(seen: Seen): number {
  const open = steps.findIndex((step) => !step.done(seen));
  return open < 0 ? steps.length : open;
}

export function look(text: string | null, ran: boolean, cursor: number | undefined): Seen {
  let root: Json = {};
  try {
    root = JSON.parse(text ?? "{}") as Json;
  } catch {
    // it is being typed
  }
  const nets = netsOf(root);
  const simulation = (root as { simulation?: unknown }).simulation;
  return {
    nodes: nodesOf(root),
    ran,
    cursor,
    simulation: (typeof simulation === "object" && simulation ? simulation : {}) as Record<
      string,
      unknown
    >,
    leads: (from, to, input) =>
      nets
        .filter((net) => parseReference(net.from).node === from)
        .some((net) =>
          net.targets.some((target) => {
            const { node, port } = parseReference(target.to);
            return node === to && (input === undefined || Number(port || 1) === input);
          }),
        ),
  };
}

const NAME = "Tour.json";
const AWAY = "foliot-tour-away";
/** The cursor of the plots, which the workspace tells. */
export const lookedAt = signal<number | undefined>(undefined);
export const away = signal(localStorage.getItem(AWAY) === "yes");

/** The step that is to be done; undefined: there is no tour here. */
export const tourStep = computed<number | undefined>(() => {
  const now = work.value;
  if (away.value || now?.key !== `mine/${NAME}`) return undefined;
  const done = now.run.value?.done;
  return reached(look(now.text.value, Boolean(done?.rows), lookedAt.value));
});

/** Begins the tour, or goes on with it. */
export async function takeTour(): Promise<void> {
  localStorage.removeItem(AWAY);
  away.value = false;
  if (!drafts.value.some(({ key }) => key === `mine/${NAME}`))
    await keepMine(
      NAME,
      `${JSON.stringify({ format: "foliot diagram", nodes: [], lines: [] }, null, 2)}\n`,
    );
  goTo(hashOf("mine", NAME));
}
export function leaveTour(): void {
  localStorage.setItem(AWAY, "yes");
  away.value = true;
}

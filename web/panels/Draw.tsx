// A structure is drawn: nodes and springs by the pointer or the keyboard, premade parts, and the matrix of
// masses, stiffnesses and lengths as a table. All of it is the document, and undone step by step.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon } from "../app/icons.tsx";
import type { Work } from "../app/work.ts";
import type { JsonDocument } from "../document/document.ts";
import { isObject, type Json } from "../document/json.ts";
import * as structure from "../document/structure.ts";
import type { DrawnNode, Point } from "../document/structure.ts";
import { readNumber, showNumber } from "../engine/numbers.ts";
import { useDocument } from "./useDocument.ts";

type Tool = "move" | "node" | "spring";
type Chosen =
  | { readonly kind: "node"; readonly name: string }
  | { readonly kind: "spring"; readonly index: number }
  | { readonly kind: "part"; readonly index: number }
  | undefined;

const MATRIX_MOST = 16;
const word = (value: Json | undefined) => (typeof value === "string" ? value : "");
const TOOLS: readonly (readonly [Tool, string])[] = [
  ["move", "Move"],
  ["node", "Node"],
  ["spring", "Spring"],
];

// ----------------------------------------------------------------------------------------- numbers

interface FieldProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly unit?: string;
  /** What stands there while there is no number of its own. */
  readonly usual?: string;
  readonly onChange: (value: number | undefined) => void;
}

function Field({ label, value, unit, usual, onChange }: FieldProps) {
  return (
    <label class="draw-field">
      <span>
        {label} <span class="unit">{unit}</span>
      </span>
      <input
        inputMode="decimal"
        aria-label={label}
        value={value === undefined ? "" : String(Number(value.toPrecision(12)))}
        placeholder={usual ?? ""}
        onChange={(event) => {
          const given = event.currentTarget.value.trim();
          const next = given ? readNumber(given) : undefined;
          if (given && next === undefined) event.currentTarget.value = String(value ?? "");
          else if (next !== undefined || usual !== undefined) onChange(next);
        }}
      />
    </label>
  );
}

/** A step of the grid: about a fortieth of what is seen. */
function gridOf(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width / 40));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= width / 40) ?? power;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxOf(points: readonly Point[]): Box {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  if (!points.length) return { x: -2, y: -1.5, width: 4, height: 3 };
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const size = Math.max(right - left, high - low, 1e-3);
  const room = 0.3 * size;
  return {
    x: left - room,
    y: low - room,
    width: right - left + 2 * room,
    height: high - low + 2 * room,
  };
}

// ------------------------------------------------------------------------------------------ drawing

interface PaperProps {
  readonly document: JsonDocument;
  readonly tool: Tool;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

function Paper({ document, tool, chosen, onChoose }: PaperProps) {
  const svg = useRef<SVGSVGElement>(null);
  const from = useSignal<string | undefined>(undefined); // where a spring begins
  const drag = useRef<{ name: string; gesture: string; box: Box } | undefined>(undefined);
  const root = document.root;
  const nodes = structure.nodesOf(root);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const springs = structure.springsOf(root);
  const parts = structure.partsOf(root);
  const box =
    drag.current?.box ??
    boxOf([...nodes.map(({ at }) => at), ...parts.flatMap((part) => [part.from, part.to])]);
  const grid = gridOf(Math.max(box.width, box.height));
  const dot = 0.012 * Math.max(box.width, box.height);
  const snap = (value: number) => Number((Math.round(value / grid) * grid).toPrecision(12));
  const where = (event: PointerEvent): Point => {
    const matrix = svg.current!.getScreenCTM()!.inverse();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return [snap(at.x), snap(-at.y)];
  };
  const moveTo = (node: DrawnNode, at: Point, gesture: string) => {
    if (node.index === undefined) return;
    document.change(
      "move a node",
      (draft) => {
        const old = draft.at(["nodes", node.index!, "at"]);
        const rest = Array.isArray(old) ? (old as Json[]).slice(2) : [];
        draft.set(["nodes", node.index!], "at", [...at, ...rest]);
      },
      { gesture },
    );
  };
  const join = (name: string) => {
    const begun = from.value;
    if (begun === undefined) from.value = name;
    else {
      document.change("add a spring", (draft) => structure.addSpring(draft, begun, name));
      from.value = undefined;
    }
  };
  const touch = (node: DrawnNode) => {
    if (tool === "spring") join(node.name);
    onChoose({ kind: "node", name: node.name });
  };
  const onKey = (event: KeyboardEvent, node: DrawnNode) => {
    const ways: Readonly<Record<string, Point>> = {
      ArrowLeft: [-grid, 0],
      ArrowRight: [grid, 0],
      ArrowUp: [0, grid],
      ArrowDown: [0, -grid],
    };
    const way = ways[event.key];
    if (way) {
      moveTo(node, [snap(node.at[0] + way[0]), snap(node.at[1] + way[1])], `keys ${node.name}`);
    } else if (event.key === "Enter" || event.key === " ") touch(node);
    else if (event.key === "Delete" || event.key === "Backspace") {
      if (node.index === undefined) return;
      document.change("delete a node", (draft) => structure.removeNode(draft, node.index!));
      onChoose(undefined);
    } else return;
    event.preventDefault();
  };
  return (
    <svg
      ref={svg}
      class={`draw-paper ${tool}`}
      viewBox={`${box.x} ${-box.y - box.height} ${box.width} ${box.height}`}
      role="group"
      aria-label="The structure"
      onPointerDown={(event) => {
        if (event.target !== svg.current) return;
        if (tool === "node") {
          const name = document.change("add a node", (draft) =>
            structure.addNode(draft, where(event)),
          );
          onChoose({ kind: "node", name });
        } else {
          from.value = undefined;
          onChoose(undefined);
        }
      }}
    >
      {parts.map((part) => (
        <rect
          key={`part ${part.index}`}
          class={chosen?.kind === "part" && chosen.index === part.index ? "part chosen" : "part"}
          x={Math.min(part.from[0], part.to[0])}
          y={-Math.max(part.from[1], part.to[1])}
          width={Math.max(Math.abs(part.to[0] - part.from[0]), dot / 2)}
          height={Math.max(Math.abs(part.to[1] - part.from[1]), dot / 2)}
          tabIndex={0}
          role="button"
          aria-label={`${part.kind} ${part.name}`}
          onPointerDown={() => onChoose({ kind: "part", index: part.index })}
          onFocus={() => onChoose({ kind: "part", index: part.index })}
        />
      ))}
      {springs.map(({ ends, index, k }) => {
        const [a, b] = [byName.get(ends[0]), byName.get(ends[1])];
        if (!a || !b) return null;
        const is = chosen?.kind === "spring" && chosen.index === index;
        return (
          <line
            key={`spring ${index}`}
            class={is ? "spring chosen" : "spring"}
            x1={a.at[0]}
            y1={-a.at[1]}
            x2={b.at[0]}
            y2={-b.at[1]}
            tabIndex={0}
            role="button"
            aria-label={`spring from ${ends[0]} to ${ends[1]}, ${k}`}
            onPointerDown={() => onChoose({ kind: "spring", index })}
            onFocus={() => onChoose({ kind: "spring", index })}
          />
        );
      })}
      {nodes.map((node) => {
        const is = chosen?.kind === "node" && chosen.name === node.name;
        const kind = node.index === undefined ? "of-lattice" : node.fixed ? "fixed" : "free";
        return (
          <g
            key={node.name}
            class={`node ${kind}${is ? " chosen" : ""}${from.value === node.name ? " begun" : ""}`}
            data-node={node.name}
            tabIndex={0}
            role="button"
            aria-label={`node ${node.name} at ${node.at.map((x) => showNumber(x, 4)).join(", ")}`}
            onKeyDown={(event) => onKey(event, node)}
            onFocus={() => onChoose({ kind: "node", name: node.name })}
            onPointerDown={(event) => {
              touch(node);
              if (tool !== "move" || node.index === undefined) return;
              drag.current = { name: node.name, gesture: `drag ${performance.now()}`, box };
              event.currentTarget.setPointerCapture(event.pointerId);
            }}
            onPointerMove={(event) => {
              const held = drag.current;
              if (held?.name === node.name) moveTo(node, where(event), held.gesture);
            }}
            onPointerUp={() => {
              drag.current = undefined;
              document.seal();
            }}
          >
            <circle class="halo" cx={node.at[0]} cy={-node.at[1]} r={2.2 * dot} />
            {node.fixed ? (
              <rect
                class="body"
                x={node.at[0] - dot}
                y={-node.at[1] - dot}
                width={2 * dot}
                height={2 * dot}
              />
            ) : (
              <circle class="body" cx={node.at[0]} cy={-node.at[1]} r={dot} />
            )}
            {node.index !== undefined && (
              <text x={node.at[0] + 1.5 * dot} y={-node.at[1] - 1.3 * dot} font-size={1.8 * dot}>
                {node.name}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

// --------------------------------------------------------------------------------- what is chosen

function NodePanel({ document, node }: { document: JsonDocument; node: DrawnNode }) {
  const index = node.index;
  if (index === undefined)
    return <p class="remark">{node.name} belongs to a lattice; its numbers are in the text.</p>;
  const given = structure.listOf(document.root, "nodes")[index] ?? {};
  const set = (key: string, value: Json | undefined) =>
    document.change(`change ${key}`, (draft) => draft.set(["nodes", index], key, value));
  const part = (key: string, axis: number) => {
    const list = given[key];
    const value = Array.isArray(list) ? (list as Json[])[axis] : undefined;
    return typeof value === "number" ? value : undefined;
  };
  const setPart = (
    key: string,
    axis: number,
    value: number | undefined,
    usual: readonly number[],
  ) => {
    const list = given[key];
    const next = [...(Array.isArray(list) ? (list as number[]) : usual)];
    next[axis] = value ?? usual[axis] ?? 0;
    set(key, next);
  };
  return (
    <>
      <label class="draw-field">
        <span>name</span>
        <input
          aria-label="name"
          value={node.name}
          onChange={(event) => {
            const to = event.currentTarget.value.trim();
            document.change("rename a node", (draft) => structure.renameNode(draft, index, to));
          }}
        />
      </label>
      <Field
        label="x"
        unit="m"
        value={node.at[0]}
        onChange={(v) => v !== undefined && setPart("at", 0, v, node.at)}
      />
      <Field
        label="y"
        unit="m"
        value={node.at[1]}
        onChange={(v) => v !== undefined && setPart("at", 1, v, node.at)}
      />
      <Field
        label="mass"
        unit="kg"
        value={node.mass}
        onChange={(v) => v !== undefined && v > 0 && set("mass", v)}
      />
      <label class="draw-field">
        <span>fixed</span>
        <select
          aria-label="fixed"
          value={node.fixed}
          onChange={(event) => {
            const to = event.currentTarget.value;
            set("fixed", to === "all" ? true : to || undefined);
          }}
        >
          <option value="">no</option>
          <option value="x">x</option>
          <option value="y">y</option>
          <option value="all">all</option>
        </select>
      </label>
      {(["start", "velocity"] as const).map((key) =>
        [0, 1].map((axis) => (
          <Field
            key={`${key} ${axis}`}
            label={`${key === "start" ? "begins at" : "speed"} ${"xy"[axis]!}`}
            unit={key === "start" ? "m" : "m/s"}
            value={part(key, axis)}
            usual={key === "start" ? String(node.at[axis]) : "0"}
            onChange={(v) => setPart(key, axis, v, key === "start" ? node.at : [0, 0])}
          />
        )),
      )}
      <label class="draw-field">
        <span>push it</span>
        <select
          aria-label="Add a port"
          value=""
          onChange={(event) => {
            const way = event.currentTarget.value;
            if (way)
              document.change("add a port", (draft) => structure.addPort(draft, node.name, way));
            event.currentTarget.value = "";
          }}
        >
          <option value="">Add a port…</option>
          {["x", "-x", "y", "-y"].map((way) => (
            <option key={way} value={way}>
              along {way}
            </option>
          ))}
        </select>
      </label>
      <button
        onClick={() =>
          document.change("delete a node", (draft) => structure.removeNode(draft, index))
        }
      >
        Delete the node
      </button>
    </>
  );
}

function SpringPanel({ document, index }: { document: JsonDocument; index: number }) {
  const spring = structure.springsOf(document.root)[index];
  const given = structure.listOf(document.root, "springs")[index];
  if (!spring || !given) return null;
  const set = (key: string, value: Json | undefined) =>
    document.change(`change ${key}`, (draft) => draft.set(["springs", index], key, value));
  const breaks = given["breaks"];
  return (
    <>
      <p>
        {spring.ends[0]} – {spring.ends[1]}
      </p>
      <Field
        label="stiffness k"
        value={spring.k}
        onChange={(v) => v !== undefined && v > 0 && set("k", v)}
      />
      <Field
        label="rest length"
        unit="m"
        value={spring.length}
        usual="as drawn"
        onChange={(v) => set("length", v)}
      />
      <Field
        label="breaks at a strain of"
        value={typeof breaks === "number" ? breaks : undefined}
        usual="never"
        onChange={(v) => set("breaks", v)}
      />
      <label class="draw-field">
        <span>energy</span>
        <select
          aria-label="energy"
          value={given["energy"] === "lengths" ? "lengths" : "squares"}
          onChange={(event) => {
            const to = event.currentTarget.value;
            set("energy", to === "lengths" ? to : undefined);
          }}
        >
          <option value="squares">½ k (l² − d²)²</option>
          <option value="lengths">½ k (l − d)²</option>
        </select>
      </label>
      <button
        onClick={() =>
          document.change("delete a spring", (draft) => draft.splice(["springs"], index, 1))
        }
      >
        Delete the spring
      </button>
    </>
  );
}

function WholePanel({ document }: { document: JsonDocument }) {
  const root = isObject(document.root) ? document.root : {};
  const set = (key: string, value: Json | undefined) =>
    document.change(`change ${key}`, (draft) => draft.set([], key, value));
  const friction = root["friction"];
  const rate = root["friction_rate"];
  const ports = structure.listOf(root, "ports");
  return (
    <>
      <label class="draw-check">
        <input
          type="checkbox"
          checked={Boolean(root["gravity"])}
          onChange={(event) => set("gravity", event.currentTarget.checked || undefined)}
        />{" "}
        gravity
      </label>
      <label class="draw-check">
        <input
          type="checkbox"
          checked={root["begin"] === "rest"}
          onChange={(event) => set("begin", event.currentTarget.checked ? "rest" : undefined)}
        />{" "}
        begin at the static solution
      </label>
      <Field
        label="friction"
        unit="N s/m"
        value={typeof friction === "number" ? friction : undefined}
        usual="0"
        onChange={(v) => set("friction", v)}
      />
      <Field
        label="friction rate"
        unit="1/s"
        value={typeof rate === "number" ? rate : undefined}
        usual="0"
        onChange={(v) => set("friction_rate", v)}
      />
      {ports.map((port, i) => (
        <p key={i} class="draw-port">
          port {word(port["name"])}: {word(port["node"])}, {word(port["direction"])}{" "}
          <button
            class="quiet"
            aria-label={`Delete the port ${word(port["name"])}`}
            onClick={() =>
              document.change("delete a port", (draft) => draft.splice(["ports"], i, 1))
            }
          >
            <Icon name="close" />
          </button>
        </p>
      ))}
    </>
  );
}

/** Masses on the diagonal, stiffnesses below it, lengths above. */
function Matrix({ document }: { document: JsonDocument }) {
  const nodes = structure.nodesOf(document.root).filter(({ index }) => index !== undefined);
  if (nodes.length > MATRIX_MOST)
    return <p class="remark">The matrix is shown for up to {MATRIX_MOST} nodes.</p>;
  return (
    <table class="draw-matrix">
      <caption>masses on the diagonal, stiffnesses below, rest lengths above</caption>
      <thead>
        <tr>
          <td />
          {nodes.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {nodes.map(({ name }, row) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {nodes.map((other, column) => {
              const value = structure.cell(document.root, row, column);
              const what = row === column ? "mass of" : row > column ? "stiffness" : "length";
              return (
                <td key={other.name} class={row === column ? "mass" : ""}>
                  <input
                    inputMode="decimal"
                    aria-label={
                      row === column ? `${what} ${name}` : `${what} ${name} ${other.name}`
                    }
                    value={value === undefined ? "" : String(Number(value.toPrecision(6)))}
                    onChange={(event) => {
                      const given = event.currentTarget.value.trim();
                      const next = given ? readNumber(given) : undefined;
                      if (given && !(next !== undefined && next > 0))
                        event.currentTarget.value = String(value ?? "");
                      else
                        document.change("change the matrix", (draft) =>
                          structure.setCell(draft, row, column, next),
                        );
                    }}
                  />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// --------------------------------------------------------------------------------------- the whole

export function Draw({ work }: { readonly work: Work }) {
  const { document, why } = useDocument(work);
  const tool = useSignal<Tool>("move");
  const chosen = useSignal<Chosen>(undefined);
  const matrix = useSignal(false);
  if (why) return <p class="empty">The text cannot be drawn: {why}</p>;
  if (!document) return null;
  const nodes = structure.nodesOf(document.root);
  const now = chosen.value;
  const node = now?.kind === "node" ? nodes.find(({ name }) => name === now.name) : undefined;
  const part =
    now?.kind === "part"
      ? structure.partsOf(document.root).find((p) => p.index === now.index)
      : undefined;
  const addPart = (kind: string) => {
    const box = boxOf(nodes.map(({ at }) => at));
    const at: Point = nodes.length ? [box.x, box.y] : [0, 0];
    const size = Math.max(1, Number((box.width / 2).toPrecision(2)));
    document.change(`add a ${kind}`, (draft) => structure.addPart(draft, kind, at, size));
  };
  const onKey = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) document.redo();
    else document.undo();
  };
  return (
    <div class="draw" onKeyDown={onKey}>
      <div class="draw-tools" role="toolbar" aria-label="Drawing">
        {TOOLS.map(([id, label]) => (
          <button key={id} aria-pressed={tool.value === id} onClick={() => (tool.value = id)}>
            {label}
          </button>
        ))}
        <select
          aria-label="Add a part"
          value=""
          onChange={(event) => {
            if (event.currentTarget.value) addPart(event.currentTarget.value);
            event.currentTarget.value = "";
          }}
        >
          <option value="">Add a part…</option>
          {[...Object.keys(structure.PREMADE), "lattice"].map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
        <button disabled={!document.canUndo} onClick={() => document.undo()}>
          Undo
        </button>
        <button disabled={!document.canRedo} onClick={() => document.redo()}>
          Redo
        </button>
        <button aria-pressed={matrix.value} onClick={() => (matrix.value = !matrix.value)}>
          Matrix
        </button>
      </div>
      <div class="draw-middle">
        {matrix.value ? (
          <div class="draw-table">
            <Matrix document={document} />
            <h2>Hamiltonian</h2>
            <pre tabIndex={0} aria-label="Hamiltonian">
              {structure.hamiltonian(document.root)}
            </pre>
          </div>
        ) : (
          <Paper
            document={document}
            tool={tool.value}
            chosen={now}
            onChoose={(next) => (chosen.value = next)}
          />
        )}
        <aside class="draw-side" aria-label="What is chosen">
          {node && <NodePanel document={document} node={node} />}
          {now?.kind === "spring" && <SpringPanel document={document} index={now.index} />}
          {part && (
            <>
              <p>
                {part.kind} {part.name}
              </p>
              <p class="remark">Its material, cells and ends are in the form.</p>
              <button
                onClick={() =>
                  document.change("delete a part", (draft) =>
                    draft.splice(["parts"], part.index, 1),
                  )
                }
              >
                Delete the part
              </button>
            </>
          )}
          {!node && now?.kind !== "spring" && !part && <WholePanel document={document} />}
        </aside>
      </div>
    </div>
  );
}

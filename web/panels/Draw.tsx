// A structure is drawn: nodes and springs by the pointer or the keyboard, premade parts, and the matrix of
// masses, stiffnesses and lengths as a table. All of it is the document, and undone step by step.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { say } from "../app/state.ts";
import type { Work } from "../app/work.ts";
import type { JsonDocument } from "../document/document.ts";
import type { Json } from "../document/json.ts";
import * as structure from "../document/structure.ts";
import type { DrawnNode, DrawnPart, Point } from "../document/structure.ts";
import { readNumber, showNumber } from "../engine/numbers.ts";
import { NodePanel, PartPanel, SpringPanel, WholePanel } from "./DrawSide.tsx";
import { useDocument } from "./useDocument.ts";

type Tool = "move" | "node" | "spring";
type Chosen =
  | { readonly kind: "node"; readonly name: string }
  | { readonly kind: "spring"; readonly index: number }
  | { readonly kind: "part"; readonly list: "parts" | "lattices"; readonly index: number }
  | undefined;

const MATRIX_MOST = 16;
const TOOLS: readonly (readonly [Tool, string])[] = [
  ["move", "Move"],
  ["node", "Node"],
  ["spring", "Spring"],
];

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
  const drag = useRef<{ name: string; gesture: string; box: Box; at: Point } | undefined>(
    undefined,
  );
  const root = document.root;
  const nodes = structure.allNodesOf(root);
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
    structure.edit(
      document,
      "move a node",
      (draft) => {
        const old = draft.at(["nodes", node.index!, "at"]);
        const rest = Array.isArray(old) ? (old as Json[]).slice(2) : [];
        // on a line there is nowhere else to go
        const place = Array.isArray(old) && old.length === 1 ? at.slice(0, 1) : at;
        draft.set(["nodes", node.index!], "at", [...place, ...rest]);
      },
      { gesture },
    );
  };
  const join = (name: string) => {
    const begun = from.value;
    if (begun === undefined) from.value = name;
    else {
      structure.edit(document, "add a spring", (draft) => structure.addSpring(draft, begun, name));
      from.value = undefined;
    }
  };
  const touch = (node: DrawnNode) => {
    if (tool === "spring") join(node.name);
    onChoose({ kind: "node", name: node.name });
  };
  const carry = (part: DrawnPart, way: Point, gesture: string) => {
    if (way[0] || way[1])
      structure.edit(
        document,
        `move ${part.name}`,
        (draft) => structure.movePart(draft, part, way),
        {
          gesture,
        },
      );
  };
  const choosePart = ({ list, index }: DrawnPart) => onChoose({ kind: "part", list, index });
  const hold = (event: PointerEvent & { currentTarget: Element }, name: string) => {
    drag.current = { name, gesture: `drag ${performance.now()}`, box, at: where(event) };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const follow = (event: PointerEvent, part: DrawnPart) => {
    const held = drag.current;
    if (held?.name !== `part ${part.name}`) return;
    const at = where(event);
    carry(part, [at[0] - held.at[0], at[1] - held.at[1]], held.gesture);
    held.at = at;
  };
  const letGo = () => {
    drag.current = undefined;
    document.seal();
  };
  const ways: Readonly<Record<string, Point>> = {
    ArrowLeft: [-grid, 0],
    ArrowRight: [grid, 0],
    ArrowUp: [0, grid],
    ArrowDown: [0, -grid],
  };
  const goTo = (node: DrawnNode | undefined) =>
    node &&
    svg.current?.querySelector<SVGElement>(`[data-node="${CSS.escape(node.name)}"]`)?.focus();
  const onPartKey = (event: KeyboardEvent, part: DrawnPart) => {
    const way = ways[event.key];
    if (way) carry(part, way, `keys ${part.name}`);
    else if (event.key === "Enter") goTo(structure.nodesOfPart(root, part)[0]);
    else if (event.key === "Delete" || event.key === "Backspace") {
      structure.edit(document, `delete ${part.name}`, (draft) => structure.removePart(draft, part));
      onChoose(undefined);
    } else return;
    event.preventDefault();
  };
  const partOf = (node: DrawnNode) => structure.partOfNode(root, node);
  const onKey = (event: KeyboardEvent, node: DrawnNode) => {
    const way = ways[event.key];
    const whole = partOf(node);
    if (way && whole) carry(whole, way, `keys ${whole.name}`);
    else if (way)
      moveTo(node, [snap(node.at[0] + way[0]), snap(node.at[1] + way[1])], `keys ${node.name}`);
    else if (whole && /^Page(Up|Down)$/.test(event.key)) {
      const list = structure.nodesOfPart(root, whole);
      const at = list.findIndex(({ name }) => name === node.name);
      goTo(list[at + (event.key === "PageDown" ? 1 : -1)]);
    } else if (event.key === "Enter" || event.key === " ") touch(node);
    else if (event.key === "Delete" || event.key === "Backspace") {
      if (node.index === undefined) return;
      structure.edit(document, "delete a node", (draft) =>
        structure.removeNode(draft, node.index!),
      );
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
          const name = structure.edit(document, "add a node", (draft) =>
            structure.addNode(draft, where(event)),
          );
          onChoose({ kind: "node", name });
        } else {
          from.value = undefined;
          onChoose(undefined);
        }
      }}
    >
      {parts.map((part) => {
        const is =
          chosen?.kind === "part" && chosen.list === part.list && chosen.index === part.index;
        const lines = structure.meshOf(root, part);
        return (
          <g
            key={`${part.list} ${part.index}`}
            class={is ? "part chosen" : "part"}
            data-part={part.name}
            tabIndex={0}
            role="button"
            aria-label={`${part.kind} ${part.name}`}
            onFocus={() => choosePart(part)}
            onKeyDown={(event) => onPartKey(event, part)}
            onPointerDown={(event) => {
              if (tool === "node") return;
              choosePart(part);
              if (tool === "move") hold(event, `part ${part.name}`);
            }}
            onPointerMove={(event) => follow(event, part)}
            onPointerUp={letGo}
          >
            <rect
              class="reach"
              x={Math.min(part.from[0], part.to[0]) - dot}
              y={-Math.max(part.from[1], part.to[1]) - dot}
              width={Math.abs(part.to[0] - part.from[0]) + 2 * dot}
              height={Math.abs(part.to[1] - part.from[1]) + 2 * dot}
            />
            <path d={lines.map(([a, b]) => `M${a[0]} ${-a[1]}L${b[0]} ${-b[1]}`).join("")} />
            <text
              x={Math.min(part.from[0], part.to[0])}
              y={-Math.max(part.from[1], part.to[1]) - 1.3 * dot}
              font-size={1.8 * dot}
            >
              {part.name}
            </text>
          </g>
        );
      })}
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
            onKeyDown={(event) => {
              if (event.key !== "Delete" && event.key !== "Backspace") return;
              structure.edit(document, "delete a spring", (draft) =>
                draft.splice(["springs"], index, 1),
              );
              onChoose(undefined);
              event.preventDefault();
            }}
          />
        );
      })}
      {nodes.map((node) => {
        const is = chosen?.kind === "node" && chosen.name === node.name;
        const size = node.index === undefined ? 0.7 * dot : dot;
        const kind =
          node.index === undefined
            ? node.fixed
              ? "of-lattice fixed"
              : "of-lattice"
            : node.fixed
              ? "fixed"
              : "free";
        return (
          <g
            key={node.name}
            class={`node ${kind}${is ? " chosen" : ""}${from.value === node.name ? " begun" : ""}`}
            data-node={node.name}
            tabIndex={node.index === undefined && !is ? -1 : 0}
            role="button"
            aria-label={`node ${node.name} at ${node.at.map((x) => showNumber(x, 4)).join(", ")}`}
            onKeyDown={(event) => onKey(event, node)}
            onFocus={() => onChoose({ kind: "node", name: node.name })}
            onPointerDown={(event) => {
              touch(node);
              if (tool !== "move") return;
              const whole = partOf(node);
              hold(event, whole ? `part ${whole.name}` : `node ${node.name}`);
            }}
            onPointerMove={(event) => {
              const held = drag.current;
              const whole = partOf(node);
              if (whole) follow(event, whole);
              else if (held?.name === `node ${node.name}`) moveTo(node, where(event), held.gesture);
            }}
            onPointerUp={letGo}
          >
            <circle class="halo" cx={node.at[0]} cy={-node.at[1]} r={2.2 * size} />
            {node.fixed ? (
              <rect
                class="body"
                x={node.at[0] - size}
                y={-node.at[1] - size}
                width={2 * size}
                height={2 * size}
              />
            ) : (
              <circle class="body" cx={node.at[0]} cy={-node.at[1]} r={size} />
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
                        structure.edit(document, "change the matrix", (draft) =>
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
  const nodes = structure.allNodesOf(document.root);
  const now = chosen.value;
  const node = now?.kind === "node" ? nodes.find(({ name }) => name === now.name) : undefined;
  const part = node
    ? structure.partOfNode(document.root, node)
    : now?.kind === "part"
      ? structure.partsOf(document.root).find((p) => p.list === now.list && p.index === now.index)
      : undefined;
  const leave = () => (chosen.value = undefined);
  const addPart = (kind: string) => {
    const parts = structure.partsOf(document.root);
    const box = boxOf(nodes.map(({ at }) => at));
    const size = Math.max(1, Number((box.width / 2).toPrecision(2)));
    // below all that is there, as high as it is
    const taken = [...nodes.map(({ at }) => at), ...parts.flatMap((p) => [p.from, p.to])];
    const high = ({ plate: 1, block: 0.5, girder: 0.25, lattice: 0.25 }[kind] ?? 0) * size;
    const left = Math.min(...taken.map(([x]) => x));
    const low = Math.min(...taken.map(([, y]) => y));
    const at: Point = taken.length ? [left, low - 0.3 * size - high] : [0, 0];
    const why = structure.edit(document, `add a ${kind}`, (draft) =>
      structure.addPart(draft, kind, at, size),
    );
    if (why) {
      say(why);
      return;
    }
    const now = structure.partsOf(document.root);
    const list = kind === "lattice" ? "lattices" : "parts";
    const index = now.filter((p) => p.list === list).length - 1;
    chosen.value = { kind: "part", list, index };
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
          {node && (
            <NodePanel
              document={document}
              node={node}
              onGone={leave}
              onRename={(name) => (chosen.value = { kind: "node", name })}
            />
          )}
          {now?.kind === "spring" && (
            <SpringPanel document={document} index={now.index} onGone={leave} />
          )}
          {part && (
            <PartPanel
              key={`${part.list} ${part.index}`}
              document={document}
              part={part}
              onGone={leave}
            />
          )}
          {!node && now?.kind !== "spring" && !part && <WholePanel document={document} />}
        </aside>
      </div>
    </div>
  );
}

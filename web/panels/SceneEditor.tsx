// The editor of a scene, in place: shapes are added and taken away, and their numbers bound to signals.
import { useSignal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../app/icons.tsx";
import { say } from "../app/state.ts";
import { colorOf, freshShape, hexOf, kinds, withValue } from "../scene/edit.ts";
import type { Scene, Shape, ShapeKind, Value } from "../scene/model.ts";
import { readNumber } from "../engine/numbers.ts";

type Part = "position" | "end" | "rotation" | "size" | "color";
const axes: Readonly<Record<Part, readonly [string, string, string]>> = {
  position: ["x", "y", "z"],
  end: ["x", "y", "z"],
  rotation: ["x", "y", "z"],
  size: ["x", "y", "z"],
  color: ["red", "green", "blue"],
};
const GLTF_MOST = 2_000_000;

function Amount(props: { label: string; value: number; onChange: (value: number) => void }) {
  // what is being typed outlives a drawing of the panel, as in NumberField
  const [draft, setDraft] = useState<string | undefined>(undefined);
  return (
    <input
      class="num"
      inputMode="decimal"
      aria-label={props.label}
      value={draft ?? String(props.value)}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onChange={(event) => {
        const next = readNumber(event.currentTarget.value);
        setDraft(undefined);
        if (next !== undefined) props.onChange(next);
      }}
    />
  );
}

/** One number of a shape: fixed, or offset + gain * signal. */
function ValueRow(props: {
  label: string;
  axis: string;
  value: Value;
  signals: readonly string[];
  onChange: (value: Value) => void;
}) {
  const { label, axis, value, signals, onChange } = props;
  const bound = typeof value === "object" ? value : undefined;
  const offset = bound ? (bound.offset ?? 0) : (value as number);
  return (
    <div class={bound ? "binding bound" : "binding"}>
      <span class="unit">{axis}</span>
      <Amount
        label={`${label} ${axis}${bound ? ", offset" : ""}`}
        value={offset}
        onChange={(next) => onChange(bound ? { ...bound, offset: next } : next)}
      />
      <select
        aria-label={`${label} ${axis}, signal`}
        value={bound?.signal ?? ""}
        onChange={(event) => {
          const signal = event.currentTarget.value;
          onChange(signal ? { gain: 1, ...bound, signal, offset } : offset);
        }}
      >
        <option value="">fixed</option>
        {signals.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {bound && (
        <Amount
          label={`${label} ${axis}, times`}
          value={bound.gain ?? 1}
          onChange={(gain) => onChange({ ...bound, gain })}
        />
      )}
    </div>
  );
}

function ShapeForm(props: {
  shape: Shape;
  signals: readonly string[];
  onChange: (shape: Shape, gesture?: string) => void;
  onRemove: () => void;
}) {
  const { shape, signals, onChange } = props;
  const bindColor = useSignal(
    typeof shape.color === "object" && shape.color.some((v) => typeof v === "object"),
  );
  const parts: Part[] = [
    "position",
    ...(shape.end ? (["end"] as const) : []),
    ...(shape.kind === "trail" || shape.end ? [] : (["rotation"] as const)),
    ...(shape.kind === "trail" ? [] : (["size"] as const)),
    ...(bindColor.value ? (["color"] as const) : []),
  ];
  const three = (part: Part): readonly Value[] => {
    const value = shape[part];
    const usual = part === "size" ? 1 : part === "color" ? 0.5 : 0;
    return typeof value === "object" ? value : [usual, usual, usual];
  };
  return (
    <div class="shape">
      <label class="inline">
        name{" "}
        <input
          value={shape.name ?? ""}
          onChange={(event) => onChange({ ...shape, name: event.currentTarget.value })}
        />
      </label>
      {shape.kind === "text" && (
        <label class="inline">
          words{" "}
          <input
            value={shape.text ?? ""}
            onChange={(event) => onChange({ ...shape, text: event.currentTarget.value })}
          />
        </label>
      )}
      {parts.map((part) => (
        <fieldset key={part}>
          <legend>{part}</legend>
          {three(part).map((value, axis) => (
            <ValueRow
              key={axis}
              label={part}
              axis={axes[part][axis]!}
              value={value}
              signals={signals}
              onChange={(next) => onChange(withValue(shape, part, axis, next))}
            />
          ))}
        </fieldset>
      ))}
      <p class="actions">
        {!bindColor.value && (
          <label class="inline">
            colour{" "}
            <input
              type="color"
              value={hexOf(shape.color)}
              onInput={(event) =>
                onChange({ ...shape, color: colorOf(event.currentTarget.value) }, "colour")
              }
            />
          </label>
        )}
        <button
          class="quiet"
          aria-pressed={bindColor.value}
          onClick={() => {
            bindColor.value = !bindColor.value;
            if (typeof shape.color !== "object")
              onChange({ ...shape, color: colorOf(hexOf(shape.color)) });
          }}
        >
          Bind colour
        </button>
        <button class="quiet" onClick={props.onRemove}>
          Remove
        </button>
      </p>
    </div>
  );
}

export function SceneEditor(props: {
  scene: Scene;
  signals: readonly string[];
  /** Changes of one gesture are undone together. */
  onChange: (scene: Scene, gesture: string) => void;
  onUndo: (() => void) | undefined;
  onRedo: (() => void) | undefined;
  onReset: (() => void) | undefined;
  onClose: () => void;
}) {
  const { scene, signals, onChange, onUndo, onRedo, onReset, onClose } = props;
  const chosen = useSignal(0);
  const file = useRef<HTMLInputElement>(null);
  const set = (shapes: readonly Shape[], gesture = "") => onChange({ ...scene, shapes }, gesture);
  const add = (shape: Shape) => {
    set([...scene.shapes, shape]);
    chosen.value = scene.shapes.length;
  };
  const names = new Set(scene.shapes.map(({ name }) => name ?? ""));
  const importFile = async (list: FileList | null) => {
    const given = list?.[0];
    if (!given) return;
    if (given.size > GLTF_MOST) {
      say(`${given.name} has ${given.size} bytes; ${GLTF_MOST} are the most.`);
      return;
    }
    const source = await new Promise<string>((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result as string);
      reader.readAsDataURL(given);
    });
    const name = given.name.replace(/\.gl(b|tf)$/, "");
    add({ kind: "gltf", name, position: [0, 0, 0], rotation: [0, 0, 0], size: [1, 1, 1], source });
  };
  const onKey = (event: KeyboardEvent) => {
    const key = event.key.toLowerCase();
    const typing = event.target instanceof HTMLInputElement && event.target.type !== "color";
    if (!(event.ctrlKey || event.metaKey) || typing || (key !== "z" && key !== "y")) return;
    event.preventDefault();
    (key === "y" || event.shiftKey ? onRedo : onUndo)?.();
  };
  const at = Math.min(chosen.value, scene.shapes.length - 1);
  const shape = scene.shapes[at];
  return (
    <section class="scene-editor" aria-label="Editor of the scene" onKeyDown={onKey}>
      <header>
        <h2>Scene</h2>
        <button class="quiet" disabled={!onUndo} onClick={onUndo}>
          Undo
        </button>
        <button class="quiet" disabled={!onRedo} onClick={onRedo}>
          Redo
        </button>
        {onReset && (
          <button class="quiet" onClick={onReset}>
            <Icon name="reset" /> Reset
          </button>
        )}
        <button class="quiet" aria-label="Close the editor" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <p class="actions">
        <select
          aria-label="Add a shape"
          value=""
          onChange={(event) => {
            const kind = event.currentTarget.value as ShapeKind | "import" | "";
            event.currentTarget.value = "";
            if (kind === "import") file.current?.click();
            else if (kind) add(freshShape(kind, names, scene.extent ?? 2));
          }}
        >
          <option value="">Add…</option>
          {kinds.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
          <option value="import">a file (glTF)…</option>
        </select>
        <input
          ref={file}
          type="file"
          hidden
          accept=".gltf,.glb"
          aria-label="A glTF file"
          onChange={(event) => void importFile(event.currentTarget.files)}
        />
      </p>
      <ul class="shapes">
        {scene.shapes.map((one, i) => (
          <li key={i}>
            <button class="quiet" aria-pressed={i === at} onClick={() => (chosen.value = i)}>
              {one.name ?? one.kind} <span class="unit">{one.kind}</span>
            </button>
          </li>
        ))}
      </ul>
      {shape ? (
        <ShapeForm
          key={at}
          shape={shape}
          signals={signals}
          onChange={(next, gesture) =>
            set(
              scene.shapes.map((old, i) => (i === at ? next : old)),
              gesture && `${gesture} ${at}`,
            )
          }
          onRemove={() => set(scene.shapes.filter((_, i) => i !== at))}
        />
      ) : (
        <p class="empty">Add a shape, then bind its place to a signal.</p>
      )}
    </section>
  );
}

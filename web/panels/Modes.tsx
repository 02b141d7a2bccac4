// The static solution of a structure and its modes, one after the other as animations in its picture.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { posesOf, type Poses } from "../app/poses.ts";
import type { Work } from "../app/work.ts";
import { Icon } from "../app/icons.tsx";
import { showNumber } from "../engine/numbers.ts";

const MODES_SHOWN = 24;
const PERIOD = 2; // s, however fast the mode is
const [GOES, STAYS] = [1.6, 1.2]; // s, to the static solution and there
/** How far a mode swings, in parts of the size of the structure. */
const SWING = 0.08;

export interface Pose {
  readonly names: readonly string[];
  readonly places: readonly number[];
}

const size = ({ rest, names }: Poses) => {
  let most = 0;
  for (const axis of ["x", "y", "z"]) {
    const list = rest.filter((_, i) => names[i]!.endsWith(`.${axis}`));
    if (list.length) most = Math.max(most, Math.max(...list) - Math.min(...list));
  }
  return most || 1;
};

/** Where everything is, so many seconds after it was chosen; 0 is the static solution, k the k-th mode. */
export function poseAt(poses: Poses, which: number, seconds: number, swing: number): number[] {
  const { drawn, rest, modes } = poses;
  if (which === 0) {
    const part = Math.min(1, (seconds % (GOES + STAYS)) / GOES);
    const eased = part * part * (3 - 2 * part);
    return rest.map((to, i) => drawn[i]! + eased * (to - drawn[i]!));
  }
  const { shape } = modes[which - 1]!;
  const now = swing * size(poses) * Math.sin((2 * Math.PI * seconds) / PERIOD);
  return rest.map((at, i) => at + now * shape[i]!);
}

const nameOf = (frequency: number) =>
  frequency === 0
    ? "as a whole"
    : frequency < 0
      ? `unstable, e-fold in ${showNumber(-1 / (2 * Math.PI * frequency), 3)} s`
      : `${showNumber(frequency, 4)} Hz`;

export function Modes(props: {
  work: Work;
  /** Draws a pose; undefined: what the run has. */
  show: (pose: Pose | undefined) => void;
  onClose: () => void;
}) {
  const { work, show, onClose } = props;
  const poses = useSignal<Poses | undefined>(undefined);
  const why = useSignal("");
  const chosen = useSignal(0);
  const swing = useSignal(SWING);
  const [text, settings] = [work.text.value, work.settings.value];
  useEffect(() => {
    let gone = false;
    posesOf(work).then(
      (found) => {
        if (gone) return;
        why.value = "";
        poses.value = found;
      },
      (error: unknown) => {
        if (!gone) why.value = (error as Error).message;
      },
    );
    return () => void (gone = true);
  }, [text, settings]);
  useEffect(() => {
    const now = poses.value;
    if (!now) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const began = performance.now();
    let request = 0;
    const draw = (time: number) => {
      const seconds = still ? (chosen.peek() ? PERIOD / 4 : GOES) : (time - began) / 1000;
      show({ names: now.names, places: poseAt(now, chosen.peek(), seconds, swing.peek()) });
      if (!still) request = requestAnimationFrame(draw);
    };
    draw(began);
    return () => cancelAnimationFrame(request);
  }, [poses.value, chosen.value]);
  useEffect(() => () => show(undefined), []);
  const moved = poses.value
    ? Math.max(...poses.value.rest.map((at, i) => Math.abs(at - poses.value!.drawn[i]!)))
    : 0;
  return (
    <section class="scene-editor modes" aria-label="Static solution and modes">
      <header>
        <h2>Static solution and modes</h2>
        <button class="quiet" aria-label="Close the modes" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {why.value && <p class="refusal">There are none: {why.value}</p>}
      {!poses.value && !why.value && <p class="empty">Looking for them …</p>}
      {poses.value && !why.value && (
        <>
          <ul class="shapes">
            <li>
              <button
                class="quiet"
                aria-pressed={chosen.value === 0}
                onClick={() => (chosen.value = 0)}
              >
                Static solution <span class="unit">moves by {showNumber(moved, 3)} m</span>
              </button>
            </li>
            {poses.value.modes.slice(0, MODES_SHOWN).map(({ frequency }, i) => (
              <li key={i}>
                <button
                  class="quiet"
                  aria-pressed={chosen.value === i + 1}
                  onClick={() => (chosen.value = i + 1)}
                >
                  Mode {i + 1} <span class="unit">{nameOf(frequency)}</span>
                </button>
              </li>
            ))}
          </ul>
          {poses.value.modes.length > MODES_SHOWN && (
            <p class="remark">
              The slowest {MODES_SHOWN} of {poses.value.modes.length}.
            </p>
          )}
          <label class="inline">
            swing{" "}
            <input
              type="range"
              class="slider"
              aria-label="How far a mode swings"
              min={0.01}
              max={0.3}
              step={0.01}
              value={swing.value}
              onInput={(event) => (swing.value = event.currentTarget.valueAsNumber)}
            />
          </label>
          <p class="remark">
            Each is shown once in {PERIOD} s. Without friction, for small motions about the static
            solution.
          </p>
        </>
      )}
    </section>
  );
}

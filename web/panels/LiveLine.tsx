// The time line of a live model: what has been, dragged back to; what is done then happens there.
import { Icon } from "../app/icons.tsx";
import type { Live } from "../app/live.ts";
import { say } from "../app/state.ts";
import { showTime } from "../engine/numbers.ts";
import type { View } from "./view.ts";

/** Where acts were, in parts of the line. */
function marks(of: Live, from: number, to: number): number[] {
  const span = to - from;
  if (!(span > 0)) return [];
  return of.acts.value.map(({ t }) => (t - from) / span).filter((part) => part >= 0 && part <= 1);
}

export function LiveLine(props: { of: Live; view: View; unit: string }) {
  const { of, view, unit } = props;
  const now = of.t.value;
  const from = of.oldest.value;
  const to = Math.max(now, from + 1e-9);
  const held = of.scrubbed.value;
  const look = (time: number) => {
    of.scrub(time);
    view.cursor.value = time;
    view.jump.value = time;
  };
  const go = async (time: number) => {
    const refused = await of.goTo(time);
    view.cursor.value = undefined;
    view.plot?.cursor(undefined);
    if (refused) say(refused);
  };
  return (
    <div class="player liveline">
      <button
        onClick={() => void of.pause()}
        aria-label={of.paused.value ? "Go on from here" : "Pause here"}
      >
        <Icon name={of.paused.value ? "play" : "pause"} />
      </button>
      <div class="track">
        <svg class="marks" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 1 1">
          {marks(of, from, to).map((part, i) => (
            <path key={i} d={`M${part} 0V1`} vector-effect="non-scaling-stroke" />
          ))}
        </svg>
        <input
          type="range"
          class="slider"
          aria-label="Time line: drag back"
          title="Drag back: all that happened is kept"
          aria-valuetext={`${showTime(held ?? now, view.work.span, 3)} ${unit}`}
          min={from}
          max={to}
          step="any"
          value={held ?? now}
          onInput={(event) => look(event.currentTarget.valueAsNumber)}
          onChange={(event) => void go(event.currentTarget.valueAsNumber)}
        />
      </div>
      <output>{showTime(held ?? now, view.work.span, 2)}</output>
      <span class="unit">{unit}</span>
    </div>
  );
}

// A number: typed, stepped by arrows, scrubbed by its label, with its unit and a slider.
import { useEffect, useRef, useState } from "preact/hooks";
import { readNumber, showNumber, stepBy, stepOf, tidy } from "../engine/numbers.ts";
import { convert, splitQuantity } from "../engine/units.ts";

export type Ends = readonly [number, number];

interface Props {
  readonly id: string;
  readonly label: string;
  readonly unit?: string | undefined;
  readonly about?: string | undefined;
  readonly value: number;
  /** What the model has by itself: marked when the value is another. */
  readonly usual?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly slider?: boolean;
  /** The ends of the slider that were given by hand, and who keeps them. */
  readonly ends?: Ends | undefined;
  readonly onEnds?: (ends: Ends | undefined) => void;
  readonly whole?: boolean;
  /** A message refuses the value. */
  onChange(value: number): Promise<string | undefined> | undefined;
}

const PIXELS = 50; // of the label's way that are ten steps

/** A range that is so many times as wide as the number is large leaves it at one end. */
const WIDE = 50;

/** The range of a slider: the one of the number, or one around what it usually is. */
export function sliderRange(usual: number, min?: number, max?: number): [number, number] {
  const low = min !== undefined && Number.isFinite(min) ? min : undefined;
  const high = max !== undefined && Number.isFinite(max) ? max : undefined;
  if (low !== undefined && high !== undefined && high - low <= WIDE * Math.max(1, Math.abs(usual)))
    return [low, high];
  const size = usual === 0 ? 1 : Math.abs(usual);
  return [
    low !== undefined && low > -2 * size ? low : usual > 0 ? 0 : -2 * size,
    high !== undefined && high < 2 * size ? high : usual < 0 ? 0 : 2 * size,
  ];
}

export function NumberField(props: Props) {
  const { id, label, unit, about, value, usual, min, max, slider, whole } = props;
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const [wrong, setWrong] = useState("");
  const scrub = useRef<{ x: number; from: number; moved: boolean } | undefined>(undefined);
  useEffect(() => setWrong(""), [value]);

  const give = async (next: number) => {
    if (next === value) return;
    setWrong((await props.onChange(next)) ?? "");
  };
  const commit = (text: string) => {
    const [number, typed] = splitQuantity(text);
    const plain = readNumber(number);
    setDraft(undefined);
    if (plain === undefined) {
      setWrong(`${text} is no number`);
      return;
    }
    const next = typed ? convert(plain, typed, unit ?? "") : plain;
    if (typeof next === "string") setWrong(next);
    else void give(next);
  };
  const step = whole ? 1 : stepOf(value || usual || 0);
  const key = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    // what nobody has typed stays as it is: the field shows fewer digits than the number has
    if (event.key === "Enter" && draft !== undefined) commit(event.currentTarget.value);
    else if (event.key === "Escape") setDraft(undefined);
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      const by = (event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 10 : 1);
      setDraft(undefined);
      void give(stepBy(readNumber(event.currentTarget.value) ?? value, by, step));
    }
  };
  const down = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    if (event.button !== 0) return;
    scrub.current = { x: event.clientX, from: value, moved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const began = scrub.current;
    if (!began) return;
    const way = event.clientX - began.x;
    if (Math.abs(way) < 2 && !began.moved) return;
    began.moved = true;
    const steps = Math.round((way / PIXELS) * 10) * (event.shiftKey ? 10 : 1);
    void give(
      clamp(stepBy(began.from, steps, whole ? 1 : stepOf(began.from || usual || 0)), min, max),
    );
  };
  const up = () => {
    const began = scrub.current;
    scrub.current = undefined;
    if (began && !began.moved) document.getElementById(id)?.focus();
  };
  const [low, high] = props.ends ?? sliderRange(usual ?? value, min, max);
  const setEnd = (text: string, which: 0 | 1) => {
    const next: [number, number] = [low, high];
    const number = readNumber(text);
    if (!text.trim()) {
      props.onEnds!(undefined); // those of the model again
      return;
    }
    if (number === undefined) {
      setWrong(`${text} is no number`);
      return;
    }
    next[which] = clamp(number, min, max);
    if (next[0] < next[1]) props.onEnds!(next);
    else setWrong("a slider goes from a smaller number to a larger one");
  };
  const changed = usual !== undefined && usual !== value;
  return (
    <div class={changed ? "row changed" : "row"}>
      <label
        for={id}
        title={about ? `${label}: ${about}` : label}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
      >
        {breakable(label)} {unit && <span class="unit">{unit}</span>}
      </label>
      {slider && (
        <input
          type="range"
          class="slider"
          aria-label={`${label}, slider`}
          min={Math.min(low, value)}
          max={Math.max(high, value)}
          step={whole ? 1 : "any"}
          value={value}
          style={{ "--part": partOf(value, Math.min(low, value), Math.max(high, value)) }}
          onInput={(event) =>
            void give(
              whole
                ? event.currentTarget.valueAsNumber
                : tidy(event.currentTarget.valueAsNumber, high - low),
            )
          }
        />
      )}
      <input
        id={id}
        class="num"
        type="text"
        inputMode="text"
        autocomplete="off"
        aria-invalid={wrong ? "true" : "false"}
        aria-describedby={wrong ? `${id}-wrong` : undefined}
        value={draft ?? showNumber(value, 12)}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={(event) => draft !== undefined && commit(event.currentTarget.value)}
        onKeyDown={key}
      />
      {slider && props.onEnds && (
        <span class="ends">
          {([low, high] as const).map((end, i) => (
            <input
              key={i}
              class="num"
              autocomplete="off"
              title="The end of the slider; empty: as the model has it"
              aria-label={`${label}, slider ${i ? "to" : "from"}`}
              value={showNumber(end, 6)}
              onChange={(event) => {
                setEnd(event.currentTarget.value, i ? 1 : 0);
                event.currentTarget.value = showNumber(end, 6);
              }}
            />
          ))}
        </span>
      )}
      {wrong && (
        <p class="refusal" id={`${id}-wrong`} role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}

const clamp = (value: number, min = -Infinity, max = Infinity) =>
  Math.min(max, Math.max(min, value));
/** Where a value is between two others, in hundredths. */
const partOf = (value: number, low: number, high: number) =>
  `${high > low ? (100 * (value - low)) / (high - low) : 0}%`;
/** A long name has more than one line, each of whole words. */
const breakable = (name: string) =>
  name.split(/(?<=[._])/).flatMap((part, i) => (i ? [<wbr key={i} />, part] : [part]));

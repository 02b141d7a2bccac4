// On a phone: what is wanted most, within reach of the thumb. Larger screens have it elsewhere.
import { Icon } from "../app/icons.tsx";
import type { Live } from "../app/live.ts";
import type { Work } from "../app/work.ts";

const places: readonly [string, string][] = [
  [".stage", "Picture"],
  [".results", "Plots"],
  [".side", "Numbers"],
];
const EVENTS_MOST = 2;

export function PhoneBar({ work, live }: { work: Work; live: Live | undefined }) {
  const go = (where: string) =>
    document.querySelector(where)?.scrollIntoView({ block: "start", behavior: "smooth" });
  const events = live ? (work.description.value?.events ?? []).slice(0, EVENTS_MOST) : [];
  return (
    <nav class="phone-bar" aria-label="Parts of the page">
      {places.map(([where, label]) => (
        <button key={where} class="quiet" onClick={() => go(where)}>
          {label}
        </button>
      ))}
      {live && (
        <button
          aria-label={live.paused.value ? "Go on with it" : "Pause it"}
          onClick={() => void live.pause()}
        >
          <Icon name={live.paused.value ? "play" : "pause"} />
        </button>
      )}
      {events.map(({ name }) => (
        <button key={name} class="primary" onClick={() => void live?.send(name, 1)}>
          {name}
        </button>
      ))}
    </nav>
  );
}

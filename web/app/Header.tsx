// The bar at the top: where we are, and what can be done.
import { keepLive, live, runOrCancel, saveNow, share, startLive, stopLive } from "./session.ts";
import { Icon, Mark } from "./icons.tsx";
import { hasDisk } from "./disk.ts";
import { work } from "./open.ts";
import { ask } from "./ask.ts";
import { dialog, engine, say, served, theme, toggleTheme } from "./state.ts";
import { readNumber, showNumber, showTime } from "../engine/numbers.ts";
import { dragOut } from "../panels/Gallery.tsx";
import type { Live } from "./live.ts";
import type { Work } from "./work.ts";

const speeds = [0.1, 0.25, 0.5, 1, 2, 5, 10, 100, 1000];

function stateWords(now: Work): string {
  const { value } = now.saved;
  if (value === "failed") return "not kept";
  if (value === "changed") return now.key.startsWith("file/") ? "not saved" : "…";
  if (now.text.value === null)
    return Object.keys(now.settings.value).length ? "numbers changed" : "";
  return now.key.startsWith("file/")
    ? "saved"
    : now.key.startsWith("mine/")
      ? "in this browser"
      : "";
}

async function askSpeed(of: Live): Promise<void> {
  const given = await ask("Simulated seconds in a second", String(of.speed.peek()));
  if (given === undefined) return;
  const speed = readNumber(given);
  if (speed !== undefined && speed > 0) await of.setSpeed(speed);
  else say(`A speed is a number above 0, and "${given}" is none.`);
}

function LiveBar({ of }: { readonly of: Live }) {
  const paused = of.paused.value;
  return (
    <div class="transport" role="group" aria-label="Live">
      <button onClick={() => void of.back()} aria-label="Back by a second" title="Back by a second">
        <Icon name="back" />
      </button>
      <button onClick={() => void of.pause()} aria-label={paused ? "Go on" : "Pause"}>
        <Icon name={paused ? "play" : "pause"} />
      </button>
      <button onClick={() => void of.step()} aria-label="Step" title="One step, and pause">
        <Icon name="step" />
      </button>
      <label class="inline">
        <span class="unseen">Speed</span>
        <select
          aria-label="Speed"
          value={of.speed.value}
          onChange={(event) => {
            const { value } = event.currentTarget;
            event.currentTarget.value = String(of.speed.peek());
            if (value === "other") void askSpeed(of);
            else void of.setSpeed(Number(value));
          }}
        >
          {[...new Set([...speeds, of.speed.value])]
            .sort((a, b) => a - b)
            .map((speed) => (
              <option key={speed} value={speed}>
                × {speed}
              </option>
            ))}
          <option value="other">other…</option>
        </select>
      </label>
      <button onClick={stopLive}>
        <Icon name="stop" /> End
      </button>
      <button onClick={() => void keepLive()} title="End it, and make a run of what happened">
        Keep
      </button>
    </div>
  );
}

function RunBar({ of }: { readonly of: Work }) {
  const running = of.running.value;
  const can = of.runs.value === true && of.description.value !== undefined;
  return (
    <div class="transport">
      <button class="primary" id="run" disabled={!can} onClick={() => void runOrCancel()}>
        <Icon name={running ? "stop" : "run"} /> {running ? "Cancel" : "Run"}
      </button>
      <button id="live" disabled={!can || running} onClick={() => void startLive()}>
        <Icon name="live" /> Live
      </button>
    </div>
  );
}

function keepingWords({ keeping }: Live): string {
  const { load, late } = keeping.value;
  return `load ${Math.round(100 * load)} % · late ${showNumber(late, 2)} ms`;
}

const ended: Readonly<Record<string, string>> = {
  reached: "",
  stopped: "stopped · ",
  cancelled: "cancelled · ",
};

function Clock({ of, now }: { readonly of: Work; readonly now: Live | undefined }) {
  const unit = of.description.value?.time_unit ?? "s";
  const run = of.run.value;
  const stop = of.choices.value.stop ?? of.description.value?.run.stop;
  if (now)
    return (
      <div class="clock">
        <output>{showTime(now.t.value, of.span, 3)}</output> {unit}
        <span class="chip" title="How much the engine has to do, and how late its pictures are">
          {now.phase.value === "running" ? keepingWords(now) : now.phase.value}
        </span>
      </div>
    );
  const done = run?.done;
  return (
    <div class="clock" aria-live="polite">
      {stop !== undefined && (
        <>
          <output>{showNumber(run?.stop ?? stop)}</output> {unit}
        </>
      )}
      {done && (
        <span
          data-run={run.handle}
          class={done.status === "reached" || done.status === "stopped" ? "chip" : "chip refusal"}
        >
          {ended[done.status] ?? "failed · "}
          {showNumber(run.took, 2)} ms · {done.solver ?? "events"}
        </span>
      )}
    </div>
  );
}

export function Header() {
  const now = work.value;
  const alive = live.value;
  return (
    <header class="top">
      <a class="brand" href="#/" aria-label="Foliot: the gallery">
        <Mark /> Foliot
      </a>
      {now && (
        <h1 class="doc" data-saved={now.saved.value}>
          <b
            draggable={now.text.value !== null}
            onDragStart={(event) => dragOut(event, now.fileName, now.text.value ?? "")}
          >
            {now.name}
          </b>{" "}
          <span class="state">{stateWords(now)}</span>
        </h1>
      )}
      {now && <span class="spring" />}
      {now && (alive ? <LiveBar of={alive} /> : <RunBar of={now} />)}
      {now && <Clock of={now} now={alive} />}
      <span class="spring" />
      {now && !alive && (now.last.value ?? now.against.value) && (
        <button
          aria-pressed={now.against.value !== undefined}
          onClick={() => (now.against.value = now.against.value ? undefined : now.last.value)}
          title="Draw the last run under this one"
        >
          Compare
        </button>
      )}
      {now && now.text.value !== null && (
        <>
          <button onClick={() => void saveNow()}>
            {served || hasDisk() ? "Save" : "Download"}
          </button>
          <button onClick={() => void share()}>Share</button>
          <button class="quiet" onClick={() => (dialog.value = "versions")}>
            Versions
          </button>
        </>
      )}
      <button
        class="quiet"
        aria-label={theme.value === "dark" ? "Light theme" : "Dark theme"}
        onClick={toggleTheme}
      >
        <Icon name={theme.value === "dark" ? "sun" : "moon"} />
      </button>
      <button
        class="quiet"
        onClick={() => (dialog.value = "help")}
        disabled={engine.value.state !== "ready"}
      >
        Help
      </button>
      <button class="quiet" aria-label="Keys" onClick={() => (dialog.value = "keys")}>
        ?
      </button>
      {now?.running.value && (
        <progress class="bar" max={1} value={now.progress.value ?? 0} aria-label="Progress" />
      )}
    </header>
  );
}

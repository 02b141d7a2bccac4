// The versions of a model: each is compared with what is open, and restored.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { work } from "../app/open.ts";
import { dialog, say } from "../app/state.ts";
import { keepVersion, listVersions, type Version } from "../app/storage.ts";
import { diffLines, hunks } from "../document/diff.ts";
import { Float } from "./Float.tsx";

const when = (time: number) =>
  new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });

function Changes({ old, now }: { old: string; now: string }) {
  const lines = hunks(diffLines(old, now));
  if (!lines.length) return <p class="empty">This is what is open.</p>;
  return (
    <pre class="diff" tabIndex={0} aria-label="From this version to what is open">
      {lines.map(({ kind, text }, i) => (
        <div key={i} class={kind}>
          {kind === "taken" ? "−" : kind === "put" ? "+" : " "} {text}
        </div>
      ))}
    </pre>
  );
}

export function Versions() {
  const list = useSignal<readonly Version[]>([]);
  const chosen = useSignal(0);
  const now = work.value;
  useEffect(() => {
    if (now) void listVersions(now.key).then((found) => (list.value = found));
  }, [now?.key]);
  const version = list.value[chosen.value];
  const text = now?.text.value ?? "";
  const restore = async () => {
    if (!now || !version) return;
    await keepVersion(now.key, text, "before a version was restored");
    now.edit(version.text);
    dialog.value = undefined;
    say("The version is restored; what was open is a version, too.");
  };
  return (
    <Float title="Versions" onClose={() => (dialog.value = undefined)}>
      {!list.value.length && (
        <p class="empty">There is none yet: one is kept when you run, save or restore.</p>
      )}
      {list.value.length > 0 && (
        <div class="versions">
          <ul tabIndex={0} aria-label="List of versions">
            {list.value.map((one, i) => (
              <li key={one.time}>
                <button
                  class="quiet"
                  aria-pressed={i === chosen.value}
                  onClick={() => (chosen.value = i)}
                >
                  {when(one.time)} <span class="unit">{one.why}</span>
                </button>
              </li>
            ))}
          </ul>
          {version && <Changes old={version.text} now={text} />}
          <p>
            <button
              class="primary"
              disabled={!version || version.text === text}
              onClick={() => void restore()}
            >
              Restore this version
            </button>
          </p>
        </div>
      )}
    </Float>
  );
}

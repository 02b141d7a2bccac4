import "./tokens.css";
import "uplot/dist/uPlot.min.css";
import "./app.css";
import { effect, untracked } from "@preact/signals";
import { render } from "preact";
import { adopt, Gallery } from "../panels/Gallery.tsx";
import { question } from "./ask.ts";
import { Header } from "./Header.tsx";
import { commandOf, type Command } from "./keys.ts";
import { lazily } from "./lazily.tsx";
import { isSceneName } from "./beside.ts";
import { closeModel, failure, openLink, openModel, takeScene, work } from "./open.ts";
import { live, replayRecording, runOrCancel, saveNow, startLive, stopLive } from "./session.ts";
import * as state from "./state.ts";

const Workspace = lazily(() => import("./Workspace.tsx").then((m) => m.Workspace));
const Dialogs = lazily(() => import("../panels/Dialogs.tsx").then((m) => m.Dialogs));

function Middle() {
  const { engine, route } = state;
  if (route.value.page === "gallery") return <Gallery />;
  const why = engine.value.state === "failed" ? engine.value.why : failure.value;
  if (why)
    return (
      <main id="main" class="failed">
        <h1>It did not work</h1>
        <p>{why}</p>
        <p>
          {engine.value.state === "failed" && (
            <button class="primary" onClick={() => void state.startEngine()}>
              Try again
            </button>
          )}{" "}
          <a href="#/">Back to the gallery</a>
        </p>
        <p class="remark">What you have changed is kept in this browser.</p>
      </main>
    );
  if (work.value) return <Workspace work={work.value} />;
  return (
    <main id="main" class="failed" aria-busy="true">
      <p class="empty">Opening …</p>
    </main>
  );
}

function App() {
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document
            .getElementById("main")
            ?.querySelector<HTMLElement>("button, a, input, [tabindex]")
            ?.focus();
        }}
      >
        To the content
      </a>
      <Header />
      <Middle />
      {(state.dialog.value ?? question.value) && <Dialogs />}
      <p class="notice" role="status" hidden={!state.notice.value}>
        {state.notice.value}
      </p>
    </>
  );
}

// ---------------------------------------------------------------------------------------- commands

const commands: Readonly<Record<Command, () => void>> = {
  run: () => void runOrCancel(),
  live: () => (live.value ? stopLive() : void startLive()),
  save: () => void saveNow(),
  search: () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
  keys: () => (state.dialog.value = "keys"),
  help: () => (state.dialog.value = "help"),
  theme: state.toggleTheme,
  pause: () => void live.value?.pause(),
  back: () => undefined, // dialogs close themselves
};

addEventListener("keydown", (event) => {
  const command = commandOf(event);
  if (!command || command === "back" || (event.defaultPrevented && command !== "run")) return;
  event.preventDefault();
  commands[command]();
});

// Files can be dropped anywhere: models are opened, a recording of live is replayed in the open model.
async function takeFiles(list: readonly File[]): Promise<void> {
  for (const file of list)
    if (file.name.endsWith(".live"))
      await replayRecording(new Uint8Array(await file.arrayBuffer()));
    else if (isSceneName(file.name)) takeScene(file.name, await file.text());
    else await adopt(file.name, await file.text());
}
/** A folder with a package becomes one text; models of one without are opened one by one. */
async function takeFolder(entry: FileSystemEntry): Promise<void> {
  const { packageOf, readDropped } = await import("./folder.ts");
  const dropped = await readDropped(entry);
  const whole = packageOf(dropped);
  if (whole !== undefined) await adopt(`${dropped.name}.mo`, whole);
  else {
    const models = (dropped.inside ?? []).filter((one) => one.text);
    for (const { name, text } of models) await adopt(name, text!);
    if (!models.length) state.say(`There is no model in the folder ${dropped.name}.`);
  }
}
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const items = [...(event.dataTransfer?.items ?? [])];
  const folders = items.flatMap((item) => {
    const entry = item.webkitGetAsEntry();
    return entry?.isDirectory ? [entry] : [];
  });
  if (folders.length) {
    for (const folder of folders)
      void takeFolder(folder).catch((error: unknown) => state.say((error as Error).message));
    return;
  }
  void takeFiles([...(event.dataTransfer?.files ?? [])]);
});

// ------------------------------------------------------------------------------------------ effects

effect(() => {
  document.documentElement.dataset["theme"] = state.theme.value;
});
effect(() => {
  const to = state.route.value;
  const engine = state.engine.value;
  untracked(() => {
    stopLive();
    if (to.page === "gallery") closeModel();
    else if (to.page === "link") void openLink(to.data, to.figure);
    else if (engine.state === "ready") void openModel(engine.desk, to.source, to.name);
  });
  document.title = to.page === "model" ? `${to.name} · Foliot studio` : "Foliot studio";
});

// A site keeps itself for use without a network; `foliot studio` is on this machine anyway.
if (!state.served && "serviceWorker" in navigator) {
  void navigator.serviceWorker.register("offline.js").then(
    (registration: ServiceWorkerRegistration | undefined) => {
      registration?.addEventListener("updatefound", () => {
        if (navigator.serviceWorker.controller)
          state.say("There is a new version: it is used once this page has been closed.");
      });
    },
    () => undefined,
  );
}

void state.startEngine();
void state.refreshFiles();
void state.refreshDrafts();
render(<App />, document.getElementById("app")!);

// A component that is loaded when it is first shown.
import { useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";

export function lazily<P>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | undefined;
  return function Lazily(props: P) {
    const state = useSignal<"loading" | "there" | "failed">(loaded ? "there" : "loading");
    useEffect(() => {
      if (loaded) return;
      load().then(
        (component) => {
          loaded = component;
          state.value = "there";
        },
        () => (state.value = "failed"),
      );
    }, []);
    if (state.value === "failed")
      return <p class="empty">A part of the page cannot be loaded: reload it.</p>;
    if (!loaded) return null;
    const Component = loaded;
    return <Component {...(props as P & object)} />;
  } as FunctionComponent<P>;
}

// A dialog that floats over the page.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../app/icons.tsx";

export function Float(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class="float"
      aria-labelledby="dialog-title"
      onClose={props.onClose}
      onClick={(event) => event.target === element.current && element.current?.close()}
    >
      <div class="inside">
        <header>
          <h2 id="dialog-title">{props.title}</h2>
          <button class="quiet" aria-label="Close" onClick={() => element.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}

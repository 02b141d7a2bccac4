// The card of the tour: what to do next, and how far one is.
import { Icon } from "../app/icons.tsx";
import { leaveTour, steps, tourStep } from "../app/tour.ts";

export function Tour() {
  const at = tourStep.value;
  if (at === undefined) return null;
  const step = steps[at];
  return (
    <section class="tour" aria-label="Tour" aria-live="polite">
      <header>
        <h2>{step ? step.title : "That is all of it"}</h2>
        <span class="unit">
          {Math.min(at + 1, steps.length)} of {steps.length}
        </span>
        <button class="quiet" aria-label="Leave the tour" onClick={leaveTour}>
          <Icon name="close" />
        </button>
      </header>
      <p>
        {step
          ? step.text
          : "You have drawn, run and read a model. Touch one next: open a pendulum of the gallery and press Live."}
      </p>
      <progress max={steps.length} value={at} aria-label="How far the tour is" />
    </section>
  );
}

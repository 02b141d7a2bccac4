// Things of a live model that can be touched: a ball is tapped with the strength by how far one pulls,
// a node of a structure follows the pointer. Dragging the void turns the camera.
import { ArrowHelper, Vector3 } from "three";
import type { SceneOptions } from "../app/contracts.ts";
import type { Actor } from "./shapes.ts";
import type { Stage } from "./stage.ts";
import { StructureActor } from "./structure.ts";

type Act = NonNullable<SceneOptions["act"]>;

/** How fast a pulled node goes to the pointer [1/s]. */
const EAGER = 8;

export interface Touch {
  /** To be called with each frame while something is held. */
  frame(): void;
  destroy(): void;
}

/** Velocity that a pull gives a ball, per length of the pull [1/s]. */
const KICK = 4;

export interface TouchDef {
  readonly stage: Stage;
  readonly actors: readonly Actor[];
  readonly act: Act;
  /** For nodes of structures: all that a picture sets at once. */
  readonly pull?: SceneOptions["pull"];
  /** How large what happens is [m]. */
  readonly extent: number;
  /** The present value of a signal. */
  readonly read: (signal: string) => number;
  /** Says what letting go would do. */
  readonly tell: (text: string) => void;
}

/** The strength of a tap by how far one has pulled; a click without a pull is one of strength 1. */
export function strengthOf(pull: Vector3, extent: number): number {
  const far = pull.length() / extent;
  return far < 0.01 ? 1 : Math.min(12, 12 * far) * (pull.x !== 0 ? Math.sign(pull.x) : 1);
}

export function touch({ stage, actors, act, pull, extent, read, tell }: TouchDef): Touch {
  const { canvas, controls } = stage;
  const taps = actors.flatMap((actor) =>
    (actor.shape?.tap ?? actor.shape?.pull) !== undefined && actor.body ? actor : [],
  );
  const structures = actors.filter(
    (actor): actor is StructureActor => actor instanceof StructureActor,
  );
  const bodies = taps.map((actor) => actor.body!);
  let pulled: { actor: Actor; arrow: ArrowHelper; from: Vector3; to: Vector3 } | undefined;
  let held: { actor: StructureActor; node: number; to: Vector3 } | undefined;

  const begin = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const hit = stage.hit(event, bodies);
    const actor = hit && taps.find((t) => t.body === hit.object);
    if (actor) {
      const from = actor.body!.getWorldPosition(new Vector3());
      const arrow = new ArrowHelper(new Vector3(1, 0, 0), from, 1e-6, stage.color("accent"));
      stage.content.add(arrow);
      pulled = { actor, arrow, from, to: from.clone() };
    } else
      for (const structure of structures) {
        const node = stage.hit(event, [structure.balls])?.instanceId;
        if (node === undefined || structure.scene.nodes[node]?.fixed) continue;
        held = { actor: structure, node, to: structure.places[node]!.clone() };
      }
    if (!pulled && !held) return;
    controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  const move = (event: PointerEvent): void => {
    if (pulled) {
      pulled.to = stage.unproject(event, pulled.from);
      const along = pulled.to.clone().sub(pulled.from);
      const length = along.length();
      pulled.arrow.position.copy(pulled.from);
      if (length > 0) pulled.arrow.setDirection(along.divideScalar(length));
      pulled.arrow.setLength(Math.max(length, 1e-6), 0.2 * length, 0.12 * length);
      const { tap } = pulled.actor.shape!;
      const pull = pulled.to.clone().sub(pulled.from);
      tell(
        tap === undefined
          ? `${(KICK * length).toFixed(2)} m/s`
          : `${tap} ${strengthOf(pull, extent).toFixed(2)}`,
      );
      stage.draw();
    }
    if (held) {
      held.to = stage.unproject(event, held.actor.places[held.node]!);
      frame();
    }
  };
  const end = (event: PointerEvent): void => {
    if (pulled) {
      const { actor, arrow, from, to } = pulled;
      arrow.removeFromParent();
      arrow.dispose();
      const pull = to.clone().sub(from);
      const { tap, pull: speeds } = actor.shape!;
      tell("");
      if (tap !== undefined) act("send", tap, strengthOf(pull, extent));
      else
        speeds?.forEach((name, axis) => {
          const gain = KICK * pull.getComponent(axis);
          if (name !== undefined && gain) act("set", name, read(name) + gain);
        });
    }
    if (pulled || held) canvas.releasePointerCapture(event.pointerId);
    pulled = undefined;
    held = undefined;
    controls.enabled = true;
    stage.draw();
  };
  const hover = (event: PointerEvent): void => {
    if (pulled || held || event.buttons) {
      move(event);
      return;
    }
    const over = stage.hit(event, [...bodies, ...structures.map((s) => s.balls)]);
    canvas.style.cursor = over ? "grab" : "";
  };
  const frame = (): void => {
    if (!held) return;
    const { actor, node, to } = held;
    const names = actor.scene.nodes[node]!.velocity;
    const gap = to.clone().sub(actor.places[node]!).multiplyScalar(EAGER).toArray();
    const pairs = names.flatMap((name, axis): [string, number][] =>
      name === undefined ? [] : [[name, gap[axis]!]],
    );
    if (pull) pull(actor.scene.nodes[node]!.name, pairs);
    else for (const [name, value] of pairs) act("set", name, value);
  };
  canvas.addEventListener("pointerdown", begin, true);
  canvas.addEventListener("pointermove", hover);
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  return {
    frame,
    destroy() {
      canvas.removeEventListener("pointerdown", begin, true);
      canvas.removeEventListener("pointermove", hover);
      canvas.removeEventListener("pointerup", end);
      canvas.removeEventListener("pointercancel", end);
    },
  };
}

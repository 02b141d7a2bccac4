// Counts and levels of a process: a queue is a row of dots that grows and shrinks, anything else a
// column. Columns are drawn in parts of the most that has been seen.
import { BoxGeometry, Group, InstancedMesh, Matrix4, Mesh, SphereGeometry } from "three";
import { Range } from "./colors.ts";
import type { Bindings, ColumnScene } from "./model.ts";
import type { Actor } from "./shapes.ts";
import { material, words } from "./shapes.ts";
import type { Stage } from "./stage.ts";

const DOTS = 60;
const HIGH = 2.4;

export function makeColumns(scene: ColumnScene, stage: Stage): Actor {
  const object = new Group();
  const updates = scene.signals.map(({ name, whole }, i) => {
    const x = (i - (scene.signals.length - 1) / 2) * 1.4;
    const place = new Group();
    place.position.x = x;
    const title = words(name, 0.24, stage, "soft");
    title.position.set(0, -0.24, 0.4);
    place.add(title);
    object.add(place);
    return whole ? dots(name, i, place, stage) : column(name, i, place, stage);
  });
  return {
    object,
    update(bindings) {
      for (const update of updates) update(bindings);
    },
  };
}

function column(name: string, i: number, place: Group, stage: Stage): (bindings: Bindings) => void {
  const skin = material();
  const mesh = new Mesh(new BoxGeometry(0.7, 1, 0.7), skin);
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.name = name;
  stage.onTheme(() => skin.color.copy(stage.color(`s${(i % 6) + 1}`)));
  place.add(mesh);
  const range = new Range();
  range.take(0);
  return (bindings) => {
    const value = bindings.signal(name);
    range.take(value);
    const height = Number.isFinite(value) ? (value / range.reach) * HIGH : 0;
    mesh.scale.y = Math.max(Math.abs(height), 0.004);
    mesh.position.y = height / 2;
  };
}

// Rows of ten, from below.
function dots(name: string, i: number, place: Group, stage: Stage): (bindings: Bindings) => void {
  const skin = material();
  const mesh = new InstancedMesh(new SphereGeometry(0.09, 18, 12), skin, DOTS);
  mesh.castShadow = true;
  mesh.name = name;
  mesh.frustumCulled = false;
  stage.onTheme(() => skin.color.copy(stage.color(`s${(i % 6) + 1}`)));
  const matrix = new Matrix4();
  for (let k = 0; k < DOTS; k++)
    mesh.setMatrixAt(
      k,
      matrix.makeTranslation(((k % 5) - 2) * 0.21, 0.1 + Math.floor(k / 5) * 0.21, 0),
    );
  mesh.count = 0;
  place.add(mesh);
  const rest = column(name, i, place, stage);
  const tower = place.children.at(-1)!;
  tower.visible = false;
  return (bindings) => {
    const value = bindings.signal(name);
    const many = value > DOTS;
    tower.visible = many;
    mesh.visible = !many;
    rest(bindings);
    mesh.count = Number.isFinite(value) ? Math.max(0, Math.min(DOTS, Math.round(value))) : 0;
  };
}

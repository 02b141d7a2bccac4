// A quantity on a grid, as a lit surface that moves and is coloured by its height. Where only some nodes
// are known it shows these: pins on the resting plane, nothing that nobody has computed.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  SphereGeometry,
  CylinderGeometry,
} from "three";
import { Range, scaleColor } from "./colors.ts";
import type { Bindings, FieldScene } from "./model.ts";
import type { Actor } from "./shapes.ts";
import { material } from "./shapes.ts";
import type { Stage } from "./stage.ts";

/** How high the largest value is drawn, in parts of the longer side. */
const HEIGHT = 0.16;

export function makeField(scene: FieldScene, stage: Stage): Actor {
  const count = scene.signals.filter((name) => name !== undefined).length;
  return count >= 0.6 * scene.signals.length ? surface(scene) : pins(scene, stage);
}

/** Places of the nodes, in the middle of the room; a field of one dimension is a ribbon. */
export function nodePlaces({
  size: [nx, ny],
  length: [lx, ly],
}: FieldScene): { x: number; z: number }[] {
  const places: { x: number; z: number }[] = [];
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++)
      places.push({
        x: (i / Math.max(1, nx - 1) - 0.5) * lx,
        z: ny > 1 ? (j / (ny - 1) - 0.5) * -ly : 0,
      });
  return places;
}

function surface(scene: FieldScene): Actor {
  const [nx, ny] = scene.size;
  const ribbon = ny === 1;
  const rows = ribbon ? 2 : ny;
  const places = nodePlaces(scene);
  const width = ribbon ? 0.06 * scene.length[0] : 0;
  const positions = new Float32Array(3 * nx * rows);
  const colors = new Float32Array(3 * nx * rows);
  for (let k = 0; k < nx * rows; k++) {
    const place = places[ribbon ? k % nx : k]!;
    positions[3 * k] = place.x;
    positions[3 * k + 2] = ribbon ? (k < nx ? width : -width) : place.z;
  }
  const faces: number[] = [];
  for (let j = 0; j + 1 < rows; j++)
    for (let i = 0; i + 1 < nx; i++) {
      const a = i + j * nx;
      faces.push(a, a + 1, a + nx, a + 1, a + nx + 1, a + nx);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("color", new BufferAttribute(colors, 3));
  geometry.setIndex(faces);
  const skin = new MeshStandardMaterial({
    vertexColors: true,
    side: DoubleSide,
    roughness: 0.35,
    metalness: 0.05,
  });
  const mesh = new Mesh(geometry, skin);
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  mesh.name = "surface";
  const range = new Range();
  const tall = HEIGHT * Math.max(...scene.length);
  return {
    object: mesh,
    body: mesh,
    update(bindings: Bindings) {
      const values = scene.signals.map((name) =>
        name === undefined ? NaN : bindings.signal(name),
      );
      for (const value of values) range.take(value);
      // what is about zero goes up and down about it, what is not stands on its least value
      const signed = range.low < 0;
      for (let k = 0; k < nx * rows; k++) {
        const value = values[ribbon ? k % nx : k]!;
        const height = signed ? value / range.reach : range.place(value);
        positions[3 * k + 1] = (Number.isFinite(height) ? height : 0) * tall;
        const t = signed ? 0.5 + value / range.reach / 2 : range.place(value);
        colors.set(scaleColor(t), 3 * k);
      }
      geometry.attributes.position!.needsUpdate = true;
      geometry.attributes.color!.needsUpdate = true;
      geometry.computeVertexNormals();
    },
  };
}

function pins(scene: FieldScene, stage: Stage): Actor {
  const object = new Group();
  const places = nodePlaces(scene);
  const extent = Math.max(...scene.length);
  const range = new Range();
  const tall = HEIGHT * extent;
  const skin = material();
  const stem = material();
  stage.onTheme(() => {
    skin.color.copy(stage.color("s1"));
    stem.color.copy(stage.color("soft"));
  });
  const sheet = new MeshStandardMaterial({ transparent: true, opacity: 0.35, side: DoubleSide });
  stage.onTheme(() => sheet.color.copy(stage.color("s1")));
  const deep = scene.size[1] > 1 ? scene.length[1] : 0.06 * extent;
  const rest = new Mesh(new PlaneGeometry(scene.length[0], deep).rotateX(-Math.PI / 2), sheet);
  rest.receiveShadow = true;
  object.add(rest);
  const list = scene.signals.flatMap((name, k) => {
    if (name === undefined) return [];
    const ball = new Mesh(new SphereGeometry(0.016 * extent, 24, 16), skin);
    const rod = new Mesh(new CylinderGeometry(0.003 * extent, 0.003 * extent, 1, 8), stem);
    ball.castShadow = true;
    const { x, z } = places[k]!;
    ball.position.set(x, 0, z);
    rod.position.set(x, 0, z);
    object.add(ball, rod);
    return [{ name, ball, rod }];
  });
  return {
    object,
    update(bindings) {
      for (const { name } of list) range.take(bindings.signal(name));
      for (const { name, ball, rod } of list) {
        const value = bindings.signal(name);
        const y = Number.isFinite(value) ? (value / range.reach) * tall : 0;
        ball.position.y = y;
        rod.position.y = y / 2;
        rod.scale.y = Math.max(Math.abs(y), 1e-6);
      }
    },
  };
}

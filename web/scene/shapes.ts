// Shapes of a scene as meshes that follow their signals.
import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Sprite,
  SpriteMaterial,
  Vector3,
} from "three";
import type { Material, Object3D } from "three";
import type { Traces } from "../app/work.ts";
import { indexBefore, valueAt } from "../plots/merge.ts";
import { Bindings, known } from "./model.ts";
import type { Shape, Three } from "./model.ts";
import type { Palette, Stage } from "./stage.ts";

export interface Actor {
  readonly object: Object3D;
  /** What a pointer can touch. */
  readonly body?: Mesh;
  readonly shape?: Shape;
  update(bindings: Bindings, time: number): void;
  /** What was seen before belongs to another run; `past`: all of one that is over. */
  forget?(past?: Traces): void;
  /** Where it comes to in a run that is over. */
  reach?(): Box3 | undefined;
}

const UP = new Vector3(0, 1, 0);

export function read(
  bindings: Bindings,
  three: Three | undefined,
  usual: number,
  into = new Vector3(),
): Vector3 {
  if (!three) return into.set(usual, usual, usual);
  return into.set(
    known(bindings.read(three[0])),
    known(bindings.read(three[1])),
    known(bindings.read(three[2])),
  );
}

function paint(
  material: MeshStandardMaterial | LineBasicMaterial | SpriteMaterial,
  shape: Shape,
  palette: Palette,
): void {
  if (typeof shape.color === "string") material.color.copy(palette.color(shape.color));
  else if (!shape.color) material.color.copy(palette.color("s1"));
}
function follow(material: { color: Color }, shape: Shape, bindings: Bindings): void {
  if (typeof shape.color === "object") {
    const { x, y, z } = read(bindings, shape.color, 0.5);
    material.color.setRGB(x, y, z, "srgb");
  }
}

export function material(): MeshStandardMaterial {
  return new MeshStandardMaterial({ roughness: 0.55, metalness: 0.05 });
}

const COILS = 9;
const ALONG = 220;
const AROUND = 7;

/**
 * A wire wound around the y axis. It is wound anew for each length: scaled, the wire would become flat.
 * Its rings stand upright, which is right where a coil is much wider than high.
 */
class SpringGeometry extends BufferGeometry {
  private readonly places = new Float32Array(3 * (ALONG + 1) * AROUND);
  private readonly ways = new Float32Array(3 * (ALONG + 1) * AROUND);

  constructor() {
    super();
    const faces: number[] = [];
    for (let k = 0; k < ALONG; k++)
      for (let m = 0; m < AROUND; m++) {
        const [a, b] = [k * AROUND + m, k * AROUND + ((m + 1) % AROUND)];
        faces.push(a, b, a + AROUND, b, b + AROUND, a + AROUND);
      }
    this.setIndex(faces);
    this.setAttribute("position", new BufferAttribute(this.places, 3));
    this.setAttribute("normal", new BufferAttribute(this.ways, 3));
  }
  wind(length: number, radius: number): void {
    const wire = Math.min(0.16 * radius, (0.3 * length) / COILS);
    for (let k = 0; k <= ALONG; k++) {
      const t = k / ALONG;
      const inner = Math.min(1, Math.max(0, (t - 0.06) / 0.88)); // straight at its ends
      const angle = 2 * Math.PI * COILS * inner;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const r = inner === 0 || inner === 1 ? 0 : radius;
      for (let m = 0; m < AROUND; m++) {
        const phi = (2 * Math.PI * m) / AROUND;
        const [u, v] = [Math.cos(phi), Math.sin(phi)];
        const at = 3 * (k * AROUND + m);
        this.places.set([(r + wire * u) * c, t * length + wire * v, (r + wire * u) * s], at);
        this.ways.set([u * c, v, u * s], at);
      }
    }
    this.getAttribute("position").needsUpdate = true;
    this.getAttribute("normal").needsUpdate = true;
    this.boundingSphere = null;
  }
}

function geometryOf(shape: Shape): BufferGeometry {
  switch (shape.kind) {
    case "sphere":
      return new SphereGeometry(0.5, 40, 28);
    case "cylinder":
    case "line":
      return new CylinderGeometry(0.5, 0.5, 1, 28);
    case "cone":
      return new ConeGeometry(0.5, 1, 36);
    case "plane":
      return new PlaneGeometry(1, 1).rotateX(-Math.PI / 2); // along x and z
    case "spring":
      return new SpringGeometry();
    default:
      return new BoxGeometry(1, 1, 1);
  }
}

/** Lays an object that stands along y between two points. */
function between(object: Object3D, a: Vector3, b: Vector3, width: number, middle: boolean): void {
  const along = b.clone().sub(a);
  const length = Math.max(along.length(), 1e-9);
  object.position.copy(a);
  if (middle) object.position.addScaledVector(along, 0.5);
  object.quaternion.copy(new Quaternion().setFromUnitVectors(UP, along.divideScalar(length)));
  object.scale.set(width, length, width);
}

function solid(shape: Shape, stage: Stage): Actor {
  const skin = material();
  if (shape.kind === "plane") skin.side = DoubleSide;
  const mesh = new Mesh(geometryOf(shape), skin);
  mesh.castShadow = shape.kind !== "plane";
  mesh.receiveShadow = true;
  mesh.name = shape.name ?? shape.kind;
  stage.onTheme(() => paint(skin, shape, stage));
  const { end, pivot } = shape;
  const object = pivot ? new Group().add(mesh) : mesh;
  const turned = end && !pivot ? undefined : object;
  const centre = new Vector3();
  const [p, q, r, s] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  return {
    object,
    body: mesh,
    shape,
    update(bindings) {
      follow(skin, shape, bindings);
      read(bindings, shape.position, 0, p);
      read(bindings, shape.size, 1, s);
      if (pivot) {
        read(bindings, pivot, 0, centre);
        object.position.copy(centre);
        p.sub(centre);
      }
      if (end) {
        read(bindings, end, 0, q);
        if (pivot) q.sub(centre);
        const wound = mesh.geometry instanceof SpringGeometry;
        between(mesh, p, q, s.x, !wound);
        if (mesh.geometry instanceof SpringGeometry) {
          mesh.scale.set(1, 1, 1);
          mesh.geometry.wind(p.distanceTo(q), s.x / 2);
        }
      } else {
        mesh.position.copy(p);
        mesh.scale.set(s.x || 1e-9, shape.kind === "plane" ? 1 : s.y || 1e-9, s.z || 1e-9);
      }
      if (turned && shape.rotation) {
        read(bindings, shape.rotation, 0, r);
        turned.rotation.set(r.x, r.y, r.z, "ZYX"); // about x first
      }
    },
  };
}

function arrow(shape: Shape, stage: Stage): Actor {
  const skin = material();
  const shaft = new Mesh(new CylinderGeometry(0.5, 0.5, 1, 20), skin);
  const head = new Mesh(new ConeGeometry(0.5, 1, 28), skin);
  shaft.castShadow = head.castShadow = true;
  stage.onTheme(() => paint(skin, shape, stage));
  return {
    object: new Group().add(shaft, head),
    body: shaft,
    shape,
    update(bindings) {
      follow(skin, shape, bindings);
      const a = read(bindings, shape.position, 0);
      const b = read(bindings, shape.end, 0);
      const width = read(bindings, shape.size, 0.05).x;
      const length = a.distanceTo(b);
      const tip = Math.min(length, 4 * width);
      const neck = b
        .clone()
        .sub(a)
        .multiplyScalar(length ? 1 - tip / length : 0)
        .add(a);
      between(shaft, a, neck, width, true);
      between(head, neck, b, 2.6 * width, true);
      shaft.visible = length > tip;
    },
  };
}

const MOST_POINTS = 4000; // that are kept while it goes on
const WAY_POINTS = 16000; // of a run that is over

/** The places of a shape in a run, at so many of its rows as can be drawn. */
function wayOf(shape: Shape, past: Traces): { t: Float64Array; at: Float32Array } | undefined {
  const names = shape.position.flatMap((value) => Bindings.signalOf(value) ?? []);
  const traces = names.map((name) => past.get(name));
  const longest = traces.reduce(
    (a, b) => ((b?.t.length ?? 0) > (a?.t.length ?? 0) ? b : a),
    undefined,
  );
  if (!longest || traces.includes(undefined)) return undefined;
  const every = Math.max(1, Math.ceil(longest.t.length / WAY_POINTS));
  const t = longest.t.filter((_, i) => i % every === 0);
  const at = new Float32Array(3 * t.length);
  const bindings = new Bindings(names);
  t.forEach((time, i) => {
    // both sides of a jump: a row has its own value, not the last one of that time
    const own = i * every;
    bindings.values = traces.map((trace) =>
      trace!.t.length === longest.t.length ? trace!.v[own]! : valueAt(trace!, time, false),
    );
    at.set(
      shape.position.map((value) => bindings.read(value)),
      3 * i,
    );
  });
  return { t, at };
}

/** Where something has been. When the time goes back, so does the end of the trail. */
function trail(shape: Shape, stage: Stage): Actor {
  const points = new Float32Array(3 * (WAY_POINTS + 1));
  const times: number[] = [];
  let way: ReturnType<typeof wayOf>;
  const geometry = new BufferGeometry();
  const attribute = new BufferAttribute(points, 3);
  geometry.setAttribute("position", attribute);
  const skin = new LineBasicMaterial({ transparent: true, opacity: 0.85 });
  stage.onTheme(() => paint(skin, shape, stage));
  const line = new Line(geometry, skin);
  line.frustumCulled = false;
  line.name = shape.name ?? "trail";
  const go = (time: number, place: readonly number[]): number => {
    if (way) {
      const count = indexBefore(way.t, time) + 1;
      points.set(way.at.subarray(0, 3 * count));
      points.set(place, 3 * count);
      return count + 1;
    }
    while (times.length && times[times.length - 1]! >= time) times.pop();
    if (times.length === MOST_POINTS) {
      // half of what is oldest is forgotten at once
      points.copyWithin(0, (3 * MOST_POINTS) / 2, 3 * MOST_POINTS);
      times.splice(0, MOST_POINTS / 2);
    }
    points.set(place, 3 * times.length);
    return times.push(time);
  };
  return {
    object: line,
    update(bindings, time) {
      follow(skin, shape, bindings);
      const place = shape.position.map((v) => bindings.read(v));
      if (place.every(Number.isFinite)) geometry.setDrawRange(0, go(time, place));
      attribute.needsUpdate = true;
    },
    forget(past) {
      times.length = 0;
      way = past && wayOf(shape, past);
      geometry.setDrawRange(0, 0);
    },
    reach() {
      if (!way) return undefined;
      const finite = way.at.every(Number.isFinite);
      return finite ? new Box3().setFromArray(way.at) : undefined;
    },
  };
}

/** Words that face who looks, `height` metres high. */
export function words(text: string, height: number, stage: Stage, color = "ink"): Sprite {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d")!;
  const font = '500 48px Inter, system-ui, "DejaVu Sans", sans-serif';
  context.font = font;
  canvas.width = Math.ceil(context.measureText(text).width) + 16;
  canvas.height = 64;
  context.font = font;
  context.textBaseline = "middle";
  context.fillStyle = "#fff";
  context.fillText(text, 8, 34);
  const skin = new SpriteMaterial({
    map: new CanvasTexture(canvas),
    depthWrite: false,
    depthTest: false,
  });
  stage.onTheme(() => skin.color.copy(stage.color(color)));
  const sprite = new Sprite(skin);
  sprite.scale.set((height * canvas.width) / canvas.height, height, 1);
  return sprite;
}

function label(shape: Shape, stage: Stage): Actor {
  const sprite = words(
    shape.text ?? shape.name ?? "",
    1,
    stage,
    typeof shape.color === "string" ? shape.color : "ink",
  );
  const ratio = sprite.scale.x;
  return {
    object: sprite,
    update(bindings) {
      read(bindings, shape.position, 0, sprite.position);
      const { y } = read(bindings, shape.size, 0.2);
      sprite.scale.set(ratio * y, y, 1);
      follow(sprite.material, shape, bindings);
    },
  };
}

/** Glass, lacquer and the like are drawn as what they would be without. */
function plainMaterial(material: Material | Material[]): Material | Material[] {
  if (Array.isArray(material)) return material.map((one) => plainMaterial(one) as Material);
  if (!(material instanceof MeshPhysicalMaterial)) return material;
  return MeshStandardMaterial.prototype.copy.call(new MeshStandardMaterial(), material);
}

/** Something that was made elsewhere. Only what the page itself serves, or what a user gave, is read. */
function imported(shape: Shape, stage: Stage): Actor {
  const object = new Group();
  const source = shape.source ?? "";
  const own =
    /^(blob:|data:)/.test(source) || new URL(source, location.href).origin === location.origin;
  if (source && own)
    void import("three/examples/jsm/loaders/GLTFLoader.js").then(({ GLTFLoader }) => {
      new GLTFLoader().load(
        source,
        ({ scene }) => {
          scene.traverse((part) => {
            part.castShadow = true;
            if (part instanceof Mesh) part.material = plainMaterial((part as Mesh).material);
          });
          object.add(scene);
          stage.draw();
        },
        undefined,
        () => stage.tell(`${shape.name ?? "A shape"}: its glTF file cannot be read.`),
      );
    });
  return {
    object,
    update(bindings) {
      read(bindings, shape.position, 0, object.position);
      read(bindings, shape.size, 1, object.scale);
      const r = read(bindings, shape.rotation, 0);
      object.rotation.set(r.x, r.y, r.z, "ZYX");
    },
  };
}

export function makeShape(shape: Shape, stage: Stage): Actor {
  switch (shape.kind) {
    case "arrow":
      return arrow(shape, stage);
    case "trail":
      return trail(shape, stage);
    case "text":
      return label(shape, stage);
    case "gltf":
      return imported(shape, stage);
    default:
      return solid(shape, stage);
  }
}

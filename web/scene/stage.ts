// The room in which things are drawn: camera, light, floor, shadows; turned by dragging, and drawn only
// when something has changed.
import {
  AmbientLight,
  Box3,
  Color,
  DirectionalLight,
  GridHelper,
  Group,
  HemisphereLight,
  Mesh,
  PCFSoftShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Raycaster,
  Scene as Room,
  ShadowMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import type { Intersection, Object3D } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export interface Palette {
  color(name: string): Color;
}

export class Stage implements Palette {
  readonly canvas: HTMLCanvasElement;
  readonly content = new Group();
  readonly camera = new PerspectiveCamera(36, 1, 0.01, 10_000);
  readonly controls: OrbitControls;
  private readonly renderer: WebGLRenderer;
  private readonly room = new Room();
  private readonly sun = new DirectionalLight(0xffffff, 2.2);
  private readonly floor: Mesh<PlaneGeometry, ShadowMaterial>;
  private grid: GridHelper | undefined;
  private bare = false;
  private request = 0;
  /** Somebody has turned the camera: it stays where it is. */
  turned = false;
  private readonly observer: ResizeObserver;
  private readonly theme: MutationObserver;
  private readonly themed = new Set<() => void>();
  private home: { camera: Vector3; target: Vector3 } | undefined;
  private given: Color | undefined;
  private readonly element: HTMLElement;

  constructor(element: HTMLElement) {
    this.element = element;
    this.renderer = new WebGLRenderer({ antialias: true });
    this.canvas = this.renderer.domElement;
    this.canvas.className = "scene-canvas";
    this.canvas.setAttribute("role", "img");
    element.append(this.canvas);
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.floor = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.22 }));
    this.floor.rotation.x = -Math.PI / 2;
    this.floor.receiveShadow = true;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 4;
    this.room.add(this.content, this.floor, this.sun, this.sun.target);
    this.room.add(new HemisphereLight(0xffffff, 0x8a8478, 1.5), new AmbientLight(0xffffff, 0.25));
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => (this.turned = true));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(element);
    this.theme = new MutationObserver(() => this.retheme());
    this.theme.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ["data-theme", "class"],
    });
    this.resize();
    this.retheme();
  }

  destroy(): void {
    cancelAnimationFrame(this.request);
    this.observer.disconnect();
    this.theme.disconnect();
    this.controls.dispose();
    this.room.traverse((object) => {
      const { geometry, material } = object as Partial<Mesh>;
      geometry?.dispose();
      for (const m of Array.isArray(material) ? material : material ? [material] : []) m.dispose();
    });
    this.renderer.dispose();
    this.canvas.remove();
  }

  /** Tells whoever shows this room that something is wrong. */
  tell(text: string): void {
    this.element.dispatchEvent(new CustomEvent("trouble", { detail: text, bubbles: true }));
  }

  // ----------------------------------------------------------------------------------------- colours

  /** A colour of the page by its name (s1, ink), or any that CSS knows. */
  color(name: string): Color {
    const token = getComputedStyle(this.element).getPropertyValue(`--${name}`).trim();
    try {
      return new Color(token || name);
    } catch {
      return new Color("gray");
    }
  }
  /** Calls `renew` now and whenever the theme is another. */
  onTheme(renew: () => void): void {
    this.themed.add(renew);
    renew();
  }
  setBackground(color: Color | undefined): void {
    this.given = color;
    this.retheme();
  }
  private retheme(): void {
    // a light background that a document asks for would blind in the dark
    const dark = document.documentElement.dataset.theme === "dark";
    this.room.background = this.given && !dark ? this.given : this.color("paper");
    for (const renew of this.themed) renew();
    if (this.grid) this.setFloor(this.grid.position.y, this.grid.userData.extent as number);
    this.draw();
  }

  // ------------------------------------------------------------------------------------- the room

  /** A scene that has a floor of its own needs no other. */
  hideFloor(): void {
    this.floor.visible = false;
    this.bare = true;
  }
  setFloor(height: number, extent: number): void {
    this.grid?.removeFromParent();
    this.grid?.dispose();
    const step = 10 ** Math.round(Math.log10(extent / 8));
    const count = Math.min(80, 2 * Math.ceil((1.5 * extent) / step));
    this.grid = new GridHelper(count * step, count, this.color("edge"), this.color("line"));
    this.grid.position.y = height;
    this.grid.userData.extent = extent;
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.55;
    this.grid.visible = !this.bare;
    this.room.add(this.grid);
    this.floor.scale.setScalar(count * step);
    this.floor.position.y = height;
    this.sun.position.set(extent * 0.7, height + extent * 1.6, extent * 0.9);
    this.sun.target.position.set(0, height, 0);
    const { camera } = this.sun.shadow;
    Object.assign(camera, {
      left: -extent,
      right: extent,
      top: extent,
      bottom: -extent,
      near: 0.01 * extent,
      far: 5 * extent,
    });
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * extent;
  }

  look(from: Vector3, target: Vector3): void {
    this.camera.position.copy(from);
    this.controls.target.copy(target);
    const far = from.distanceTo(target);
    this.camera.near = far / 200;
    this.camera.far = far * 50;
    this.camera.updateProjectionMatrix();
    this.home = { camera: from.clone(), target: target.clone() };
    this.controls.update();
    this.draw();
  }
  /** So that a box is seen whole, from the front or from a little above. */
  lookAt(box: Box3, flat: boolean): void {
    const centre = box.getCenter(new Vector3());
    const size = box.getSize(new Vector3());
    const aspect = Math.max(0.4, this.camera.aspect);
    const extent = Math.max(size.x / aspect, size.y, size.z / aspect, 1e-6);
    const far =
      extent / (2 * Math.tan((this.camera.fov * Math.PI) / 360)) + size.z / 2 + extent * 0.12;
    const from = flat ? new Vector3(0.12, 0.16, 1) : new Vector3(0.55, 0.62, 1);
    this.look(centre.clone().add(from.normalize().multiplyScalar(far * (flat ? 1 : 1.15))), centre);
    // back until the corners that are near are in the picture, too
    for (let tries = 0; tries < 30 && !flat && this.leaves(box); tries++) {
      const away = this.camera.position.clone().sub(centre).multiplyScalar(1.06);
      this.look(centre.clone().add(away), centre);
    }
  }
  /** Whether a part of a box is outside of the picture. */
  private leaves(box: Box3): boolean {
    this.camera.updateMatrixWorld();
    const ends = [box.min, box.max];
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(ends[k & 1]!.x, ends[(k >> 1) & 1]!.y, ends[k >> 2]!.z);
      corner.project(this.camera);
      if (Math.max(Math.abs(corner.x), Math.abs(corner.y)) > 0.97) return true;
    }
    return false;
  }
  goHome(): void {
    this.turned = false;
    if (this.home) this.look(this.home.camera, this.home.target);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** Draws with the next frame. */
  draw(): void {
    this.request ||= requestAnimationFrame(() => {
      this.request = 0;
      if (this.controls.update()) this.draw();
      this.drawNow();
    });
  }
  drawNow(): void {
    this.renderer.render(this.room, this.camera);
  }

  /** What is under a point of the screen. */
  hit(event: { clientX: number; clientY: number }, objects: Object3D[]): Intersection | undefined {
    const rect = this.canvas.getBoundingClientRect();
    const x = ((event.clientX - rect.left) / rect.width) * 2 - 1;
    const y = 1 - ((event.clientY - rect.top) / rect.height) * 2;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.camera);
    return ray.intersectObjects(objects, false)[0];
  }
  /** The point of the screen in the plane through `depth` that faces the camera. */
  unproject(event: { clientX: number; clientY: number }, depth: Vector3): Vector3 {
    const rect = this.canvas.getBoundingClientRect();
    const x = ((event.clientX - rect.left) / rect.width) * 2 - 1;
    const y = 1 - ((event.clientY - rect.top) / rect.height) * 2;
    const z = depth.clone().project(this.camera).z;
    return new Vector3(x, y, z).unproject(this.camera);
  }

  png(): Promise<Blob> {
    this.drawNow(); // the buffer is kept until this task ends
    return new Promise((take, refuse) =>
      this.canvas.toBlob(
        (blob) => (blob ? take(blob) : refuse(new Error("no picture"))),
        "image/png",
      ),
    );
  }
  /** Begins to record; the result ends it and gives the film. */
  record(): () => Promise<Blob> {
    const stream = this.canvas.captureStream(60);
    const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((t) =>
      MediaRecorder.isTypeSupported(t),
    );
    const recorder = new MediaRecorder(stream, {
      ...(type ? { mimeType: type } : {}),
      videoBitsPerSecond: 8_000_000,
    });
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.start();
    return () =>
      new Promise((take) => {
        recorder.addEventListener("stop", () => {
          for (const track of stream.getTracks()) track.stop();
          take(new Blob(parts, { type: "video/webm" }));
        });
        recorder.stop();
      });
  }
}

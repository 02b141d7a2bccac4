// The whole diagram in a corner, when it is larger than what is seen.
import type { Box } from "./geometry.ts";
import type { Sheet } from "./sheet.ts";
import { html } from "./view.ts";

const WIDTH = 168;
const HEIGHT = 108;

export class Minimap {
  private readonly canvas: HTMLCanvasElement;
  private readonly sheet: Sheet;
  private frame = 0;
  private extent: Box | undefined;
  private scale = 1;

  constructor(sheet: Sheet, parent: HTMLElement) {
    this.sheet = sheet;
    this.canvas = html(
      "canvas",
      { class: "sheet-map", role: "img", "aria-label": "Overview of the diagram" },
      parent,
    );
    const ratio = devicePixelRatio || 1;
    this.canvas.width = WIDTH * ratio;
    this.canvas.height = HEIGHT * ratio;
    this.canvas.hidden = true;
    sheet.onDraw(() => this.later());
    const go = (event: PointerEvent): void => {
      if (!event.buttons || !this.extent) return;
      const rect = this.canvas.getBoundingClientRect();
      const x = this.extent.x + (event.clientX - rect.left) / this.scale;
      const y = this.extent.y + (event.clientY - rect.top) / this.scale;
      const { camera, view } = sheet;
      camera.x = view.width / 2 - x * camera.scale;
      camera.y = view.height / 2 - y * camera.scale;
      sheet.redraw();
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    this.canvas.addEventListener("pointermove", go);
  }
  destroy(): void {
    cancelAnimationFrame(this.frame);
  }

  private later(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private draw(): void {
    const { sheet, canvas } = this;
    const box = sheet.extent();
    const seen = sheet.camera.seen(sheet.view.width, sheet.view.height);
    const all =
      !box ||
      (seen.x <= box.x + 40 &&
        seen.y <= box.y + 40 &&
        seen.x + seen.w >= box.x + box.w - 40 &&
        seen.y + seen.h >= box.y + box.h - 40);
    canvas.hidden = all || sheet.view.width < 500;
    if (canvas.hidden || !box) return;
    const context = canvas.getContext("2d");
    if (!context) return;
    const ratio = devicePixelRatio || 1;
    const scale = Math.min(WIDTH / box.w, HEIGHT / box.h);
    this.scale = scale;
    this.extent = {
      x: box.x - (WIDTH / scale - box.w) / 2,
      y: box.y - (HEIGHT / scale - box.h) / 2,
      w: WIDTH / scale,
      h: HEIGHT / scale,
    };
    const { x: ox, y: oy } = this.extent;
    const style = getComputedStyle(canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, WIDTH, HEIGHT);
    context.fillStyle = style.getPropertyValue("--edge") || "#888";
    for (const { geometry } of sheet.wiring.nodes.values()) {
      const { x, y, w, h } = geometry.box;
      context.fillRect(
        (x - ox) * scale,
        (y - oy) * scale,
        Math.max(1.5, w * scale),
        Math.max(1.5, h * scale),
      );
    }
    context.strokeStyle = style.getPropertyValue("--accent") || "#a60";
    context.lineWidth = 1.5;
    context.strokeRect(
      (seen.x - ox) * scale,
      (seen.y - oy) * scale,
      seen.w * scale,
      seen.h * scale,
    );
  }
}

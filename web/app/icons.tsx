// The icons of the studio: one path each, on a grid of 16.

const paths = {
  run: "M4 2.5v11l9-5.5z",
  stop: "M3.5 3.5h9v9h-9z",
  live: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM3 2.8a7.4 7.4 0 0 0 0 10.4M13 2.8a7.4 7.4 0 0 1 0 10.4",
  pause: "M4.5 3v10M11.5 3v10",
  play: "M4.5 2.8v10.4l8.4-5.2z",
  step: "M3.5 2.8v10.4l6-5.2zM12.5 3v10",
  back: "M12.5 2.8v10.4l-6-5.2zM3.5 3v10",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M13 3l-1.2 1.2M4.2 11.8 3 13",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4 14 14",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  down: "M4 6l4 4 4-4",
  reset: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5V5.5H6",
  left: "M10 3 5 8l5 5",
  plus: "M8 3v10M3 8h10",
  file: "M4 1.8h5l3 3v9.4H4zM9 1.8v3h3",
} as const;

export type IconName = keyof typeof paths;
const filled = new Set<IconName>(["run", "stop", "play"]);

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={filled.has(name) ? "glyph filled" : "glyph"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** The foliot: a bar that swings under a verge. */
export function Mark() {
  return (
    <svg class="brand-mark" viewBox="0 0 20 20" aria-hidden="true">
      <path d="M2 6h16M2 4v4M18 4v4M10 3v11" />
      <path class="bob" d="M10 14v3.5" />
    </svg>
  );
}

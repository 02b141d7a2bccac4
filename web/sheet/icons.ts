// The sheet's icons: paths in a box of 16 by 16, drawn with a stroke.
export const icons = {
  undo: "M6 3L2.5 6.5L6 10M3 6.5H9.5A4 4 0 0 1 9.5 13.5H6",
  redo: "M10 3L13.5 6.5L10 10M13 6.5H6.5A4 4 0 0 0 6.5 13.5H10",
  closer: "M8 3V13M3 8H13",
  farther: "M3 8H13",
  fit: "M2.5 6V2.5H6M10 2.5H13.5V6M13.5 10V13.5H10M6 13.5H2.5V10",
  arrange: "M2.5 3H6V6.5H2.5ZM10 2.5H13.5V6H10ZM10 10H13.5V13.5H10ZM6 4.75H10M8 4.75V11.75H10",
  values: "M2.5 8H5L6.5 3.5L9.5 12.5L11 8H13.5",
  types: "M3 4H13M8 4V13M6 13H10",
  picture: "M2.5 3H13.5V13H2.5ZM2.5 11L6 7.5L9 10.5L11 8.5L13.5 11M10.5 5.5H10.51",
  left: "M2.5 2V14M4.5 4H12M4.5 9.5H9",
  centre: "M8 2V14M4 4.5H12M5.5 10.5H10.5",
  right: "M13.5 2V14M4 4H11.5M7 9.5H11.5",
  top: "M2 2.5H14M4.5 4.5V12M9.5 4.5V9",
  middle: "M2 8H14M5 4V12M11 5.5V10.5",
  bottom: "M2 13.5H14M4.5 4V11.5M9.5 7V11.5",
  across: "M2.5 2V14M13.5 2V14M6.5 5H9.5V11H6.5Z",
  down: "M2 2.5H14M2 13.5H14M5 6.5V9.5H11V6.5Z",
  rotate: "M12.5 6A5 5 0 1 0 13 9.5M13 2.5V6H9.5",
  flipX: "M8 2V14M6 4.5V11.5H2ZM10 4.5V11.5H14Z",
  flipY: "M2 8H14M4.5 6H11.5V2ZM4.5 10H11.5V14Z",
  remove: "M3 4.5H13M6.5 4V2.5H9.5V4M4.5 4.5L5.2 13.5H10.8L11.5 4.5",
  group: "M2.5 2.5H13.5V13.5H2.5ZM5.5 6H8V8.5H5.5ZM8 10H10.5V7.5",
  add: "M8 3V13M3 8H13",
} as const;
export type IconName = keyof typeof icons;

export function iconMarkup(name: IconName): string {
  return `<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${icons[name]}"/></svg>`;
}

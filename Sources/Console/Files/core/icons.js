/** The icons, as paths of a 24 × 24 drawing with round strokes. */

import { svg } from "./dom.js";

const PATHS = {
  records: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 10v9",
  zones: "M12 3l9 5-9 5-9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5",
  changes: "M4 12a8 8 0 1 1 2.4 5.7M4 19v-4.5h4.5M12 7.5V12l3 2",
  subscriptions: "M12 4a5 5 0 0 1 5 5c0 5 2 6 2 6H5s2-1 2-6a5 5 0 0 1 5-5zM10 19a2 2 0 0 0 4 0",
  pushes: "M21 3L10 14M21 3l-7 18-4-7-7-4z",
  schema: "M4 4h7v6H4zM13 14h7v6h-7zM7.5 10v7H13M13 4h7v6h-7z",
  roles: "M12 3l8 3v5c0 5-3.4 8.6-8 10-4.600-1.400-8-5-8-10V6zM9 12l2.200 2.200L15.500 10",
  users: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0"
    + "M16 4.5a3.5 3.5 0 0 1 0 6.2M18 14.2a6.5 6.5 0 0 1 3.5 5.8",
  telemetry: "M4 4v16h16M8 16v-4M12 16V8M16 16v-6",
  log: "M5 4h14v16H5zM8.500 8.500h7M8.500 12h7M8.500 15.500h4",
  tokens: "M14.500 9.500a4.500 4.500 0 1 0-3.300 4.300L13 15.600h2V18h2.400v2.400H21v-3.300l-6.700-6.700zM9 8.500h.01",
  webhooks: "M9 8a3 3 0 1 1 4.500 2.600L16 15M12 11l-2.700 5a3 3 0 1 1-3-1.900M10.500 17H16a3 3 0 1 0 1.500-2.600",
  team: "M12 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM5 20a7 7 0 0 1 14 0",
  "test-accounts": "M9 3h6M10 3v6l-5.5 9.5A1.7 1.7 0 0 0 6 21h12a1.7 1.7 0 0 0 1.5-2.5L14 9V3M7.5 15h9",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  add: "M12 5v14M5 12h14",
  remove: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10.500 11v5.500M13.500 11v5.500",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  next: "M9 5l7 7-7 7",
  expand: "M6 9l6 6 6-6",
  search: "M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500L20 20",
  filter: "M4 5h16l-6.500 8v6l-3-1.500V13z",
  download: "M12 4v11M7 10.500l5 5 5-5M5 20h14",
  upload: "M12 16V5M7 9.500l5-5 5 5M5 20h14",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  check: "M5 12.500l4.500 4.500L19 7.500",
  columns: "M4 5h16v14H4zM9.300 5v14M14.700 5v14",
  bookmark: "M7 4h10v16l-5-4-5 4z",
  warning: "M12 4l9 16H3zM12 10v4.500M12 17.300h.01",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  refresh: "M20 12a8 8 0 1 1-2.400-5.700M20 4v4.500h-4.500",
  pause: "M8 5v14M16 5v14",
  play: "M7 5l12 7-12 7z",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700L12 17",
  sign_out: "M14 4H5v16h9M10 12h11M17 8l4 4-4 4",
  container: "M12 3l8 4.500v9L12 21l-8-4.500v-9zM4 7.500l8 4.500 8-4.500M12 12v9",
  more: "M6 12h.01M12 12h.01M18 12h.01",
};

/** An icon that says nothing to who listens: the words beside it do. */
export function icon(name) {
  return svg(
    "svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] ?? PATHS.more }));
}

/** The cloud of Stratus. */
export function cloud() {
  return svg(
    "svg", { class: "cloud", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: "M7 17.5a4.5 4.5 0 0 1-.6-8.96A6 6 0 0 1 18 9.6a4 4 0 0 1-.5 7.9zM4 20.25h16v1.5H4z" }));
}

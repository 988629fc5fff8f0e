/** A place by its coordinates: typed, or set on a map of the world with the pointer or the arrow keys. */

import { h, svg } from "../core/dom.js";
import { worldOutlines } from "../core/load.js";

const PARTS = [
  ["latitude", "Latitude °", -90, 90], ["longitude", "Longitude °", -180, 180],
];
const MORE = [
  ["altitude", "Altitude m"],
  ["horizontalAccuracy", "Horizontal accuracy m"],
  ["verticalAccuracy", "Vertical accuracy m"],
  ["course", "Course °"], ["speed", "Speed m/s"],
];

export function locationEditor(context) {
  const inputs = {};
  const part = ([name, label]) => {
    inputs[name] = h("input", {
      class: "input code",
      inputmode: "decimal",
      type: "text",
      autocomplete: "off",
      "aria-describedby": context.describedBy,
    });
    inputs[name].addEventListener("input", draw);
    return h("label", {}, label, inputs[name]);
  };
  /** The location's own time, which is not edited. */
  let timestamp = null;

  const horizontal = svg("line", { class: "cross", x1: 0, x2: 360 });
  const vertical = svg("line", { class: "cross", y1: 0, y2: 180 });
  const point = svg("circle", { class: "point", r: 4 });
  const globe = svg("svg", {
    class: "globe", viewBox: "0 0 360 180", preserveAspectRatio: "none", tabindex: "0", role: "application",
    "aria-label": `${context.label ?? "Location"}: arrow keys move the point by a degree, with Shift by ten`,
  }, graticule(), context.isPlain ? null : outlines(), horizontal, vertical, point);

  function number(name) {
    const text = inputs[name].value.trim();
    return text === "" ? null : Number(text);
  }

  function draw() {
    const [latitude, longitude] = [number("latitude"), number("longitude")];
    const isShown = Number.isFinite(latitude) && Number.isFinite(longitude) && latitude !== null && longitude !== null;
    for (const mark of [horizontal, vertical, point]) mark.style.display = isShown ? "" : "none";
    if (!isShown) return;
    const [x, y] = [longitude + 180, 90 - latitude];
    for (const end of ["y1", "y2"]) horizontal.setAttribute(end, y);
    for (const end of ["x1", "x2"]) vertical.setAttribute(end, x);
    point.setAttribute("cx", x);
    point.setAttribute("cy", y);
  }

  function set(latitude, longitude, digits) {
    const clamp = (value, limit) => Math.max(-limit, Math.min(limit, value));
    inputs.latitude.value = String(Number(clamp(latitude, 90).toFixed(digits)));
    inputs.longitude.value = String(Number(clamp(longitude, 180).toFixed(digits)));
    draw();
  }

  const follow = (event) => {
    const box = globe.getBoundingClientRect();
    set(90 - ((event.clientY - box.top) / box.height) * 180, ((event.clientX - box.left) / box.width) * 360 - 180, 2);
  };
  globe.addEventListener("pointerdown", (event) => {
    globe.setPointerCapture(event.pointerId);
    follow(event);
  });
  globe.addEventListener("pointermove", (event) => { if (globe.hasPointerCapture(event.pointerId)) follow(event); });
  globe.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
    if (!(event.key in steps)) return;
    const [north, east] = steps[event.key].map((step) => step * (event.shiftKey ? 10 : 1));
    set((number("latitude") || 0) + north, (number("longitude") || 0) + east, 6);
    event.preventDefault();
  });

  const element = h("div", { class: "stack-small" },
    h("div", { class: "value-parts" }, PARTS.map(part)),
    context.isPlain ? null : globe,
    context.isPlain ? null : h(
      "details",
      {},
      h("summary", { text: "Altitude, accuracy, course, speed" }),
      h("div", { class: "value-parts" }, MORE.map(part)),
    ));
  draw();

  return {
    element, focus: () => inputs.latitude.focus(),
    write(value) {
      for (const [name, input] of Object.entries(inputs)) input.value = value?.[name] ?? "";
      timestamp = value?.timestamp ?? null;
      draw();
    },
    read() {
      if (Object.values(inputs).every((input) => input.value.trim() === "")) return null;
      const value = {};
      for (const [name, label, least, most] of [...PARTS, ...MORE]) {
        if (!inputs[name]) continue;
        const entered = number(name);
        if (entered === null && least === undefined) continue;
        const [part] = label.split(" ");
        if (entered === null || !Number.isFinite(entered)) throw new Error(`${part} must be a number.`);
        const isOutside = least !== undefined && (entered < least || entered > most);
        if (isOutside) throw new Error(`${part} must be between ${least} and ${most}.`);
        value[name] = entered;
      }
      if (timestamp !== null) value.timestamp = Number(timestamp);
      return value;
    },
  };
}

/** The outlines of the continents, once they are loaded. Without them the grid of degrees is the map. */
function outlines() {
  const path = svg("path", { class: "outlines", transform: "scale(.1)" });
  worldOutlines().then((text) => { if (text) path.setAttribute("d", text); });
  return path;
}

/** Lines every 30 degrees; the equator and the meridian are stronger. */
function graticule() {
  const lines = [];
  for (let x = 30; x < 360; x += 30) lines.push(svg(
    "line",
    { class: x === 180 ? "axis" : "graticule", x1: x, x2: x, y1: 0, y2: 180 },
  ));
  for (let y = 30; y < 180; y += 30) lines.push(svg(
    "line",
    { class: y === 90 ? "axis" : "graticule", x1: 0, x2: 360, y1: y, y2: y },
  ));
  return lines;
}

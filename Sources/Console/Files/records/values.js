/** Editors of single values, one for each type of the schema.
 *
 * An editor has `element`, `read()` (the value as the web services take it, null for none, or an error that says what
 * is wrong), `write(value)` and `focus()`.
 */

import { h, identifier } from "../core/dom.js";
import { bytesEditor } from "./value-bytes.js";
import { assetEditor } from "./value-asset.js";
import { locationEditor } from "./value-location.js";
import { referenceEditor } from "./value-reference.js";

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

export function scalar(type, context) {
  switch (type) {
    case "INT64": return integerEditor(context);
    case "DOUBLE": return doubleEditor(context);
    case "TIMESTAMP": return timestampEditor(context);
    case "LOCATION": return locationEditor(context);
    case "REFERENCE": return referenceEditor(context);
    case "ASSET": return assetEditor(context);
    case "BYTES": return bytesEditor(context);
    default: return stringEditor(context);
  }
}

function labelled(context, properties) {
  return { "aria-label": context.label, "aria-describedby": context.describedBy, class: "input", ...properties };
}

function stringEditor(context) {
  if (context.isPlain) return inputEditor(
    h("input", labelled(context, { type: "text", spellcheck: "false" })),
    (text) => text,
    String,
  );
  const area = h("textarea", labelled(context, { rows: "1", spellcheck: "true" }));
  const grow = () => {
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, 320)}px`;
  };
  area.addEventListener("input", grow);
  return {
    element: area, read: () => area.value, focus: () => area.focus(),
    write(value) { area.value = value ?? ""; requestAnimationFrame(grow); },
  };
}

function inputEditor(input, read, show) {
  return {
    element: input, focus: () => input.focus(), read: () => read(input.value),
    write(value) { input.value = value === null || value === undefined ? "" : show(value); },
  };
}

/** The value is a text where a number of JavaScript would lose digits. */
function integerEditor(context) {
  const input = h(
    "input",
    labelled(context, { type: "text", inputmode: "numeric", autocomplete: "off", class: "input code" }),
  );
  return inputEditor(input, (text) => {
    const trimmed = text.trim();
    if (trimmed === "") return null;
    if (!/^[+-]?\d+$/.test(trimmed)) throw new Error("Enter a whole number.");
    const value = BigInt(trimmed.replace(/^\+/, ""));
    if (value < INT64_MIN || value > INT64_MAX) {
      throw new Error(`The number must be between ${INT64_MIN} and ${INT64_MAX}.`);
    }
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }, String);
}

function doubleEditor(context) {
  const input = h(
    "input",
    labelled(context, { type: "text", inputmode: "decimal", autocomplete: "off", class: "input code" }),
  );
  return inputEditor(input, (text) => {
    const trimmed = text.trim();
    if (trimmed === "") return null;
    const value = Number(trimmed);
    if (!Number.isFinite(value)) throw new Error("Enter a number, such as 21.5 or 6e23.");
    return value;
  }, String);
}

/** Edits a time to the millisecond in the browser's time zone, and shows it in UTC as well. */
function timestampEditor(context) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "local time";
  const id = identifier("utc");
  const input = h(
    "input",
    labelled(context, {
      type: "datetime-local",
      step: "0.001",
      "aria-describedby": [context.describedBy, id].filter(Boolean).join(" "),
    }),
  );
  const utc = h("div", { class: "hint", id });
  const now = h("button", { type: "button", class: "button small", text: "Now" });
  const show = () => {
    const date = input.value ? new Date(input.value) : null;
    utc.textContent = date && !Number.isNaN(date.getTime()) ? `${date.toISOString()} · shown in ${zone}`
      : `Shown in ${zone}`;
  };
  const write = (milliseconds) => {
    if (milliseconds === null || milliseconds === undefined) input.value = "";
    else {
      const date = new Date(Number(milliseconds));
      const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
      input.value = Number.isNaN(local.getTime()) ? "" : local.toISOString().slice(0, 23);
    }
    show();
  };
  input.addEventListener("input", show);
  now.addEventListener("click", () => write(Date.now()));
  show();
  return {
    element: h(
      "div",
      { class: "stack-small" },
      h("div", { class: "row" }, h("div", { class: "moment" }, input), now),
      context.isPlain ? null : utc,
    ),
    write, focus: () => input.focus(),
    read() {
      if (input.validity.badInput) throw new Error("Enter a date and a time.");
      if (!input.value) return null;
      return new Date(input.value).getTime();
    },
  };
}

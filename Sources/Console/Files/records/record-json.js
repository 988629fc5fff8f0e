/** A record as JSON: to look at, to copy, and as a line of a file. */

import { button, copyable, open } from "../core/dialog.js";
import { h } from "../core/dom.js";

const NUMBERS = /^(INT64|DOUBLE|NUMBER_INT64|NUMBER_DOUBLE|TIMESTAMP)(_LIST)?$/;
const LOCATIONS = /^LOCATION(_LIST)?$/;

/** The console asks for numbers as text. They become numbers again, unless digits would be lost. */
function number(value) {
  const converted = Number(value);
  return typeof value === "string" && String(converted) === value ? converted : value;
}

const each = (value, act) => (Array.isArray(value) ? value.map(act) : act(value));
const moment = (change) => (change ? { ...change, timestamp: number(change.timestamp) } : change);

function field({ value, type, ...rest }) {
  if (NUMBERS.test(type)) return { value: each(value, number), type, ...rest };
  if (LOCATIONS.test(type)) {
    const place = (one) => Object.fromEntries(Object.entries(one).map(([name, part]) => [name, number(part)]));
    return { value: each(value, place), type, ...rest };
  }
  return { value, type, ...rest };
}

/** A record as the web services write it. */
export function plain(record) {
  const fields = Object.fromEntries(Object.entries(record.fields ?? {}).map(([name, one]) => [name, field(one)]));
  const result = { ...record, fields };
  for (const name of ["created", "modified"]) if (record[name]) result[name] = moment(record[name]);
  return result;
}

/** Shows a record as JSON. */
export function showJSON(record) {
  const text = JSON.stringify(plain(record), null, 2);
  const view = h("pre", { class: "json", tabindex: "0", "aria-label": `${record.recordName} as JSON`, text });
  const done = button("Done", { class: "primary" });
  const dialog = open({ title: "Record as JSON", kind: "wide", content: view, actions: [copyable(text, view), done] });
  done.addEventListener("click", () => dialog.close());
  return dialog.closed;
}

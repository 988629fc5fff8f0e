/** The server's log of this environment, as it is written. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { h, replace, settled } from "../core/dom.js";
import { Field } from "../core/form.js";
import { number, plural } from "../core/format.js";
import { empty, head } from "../core/parts.js";
import { note } from "../core/router.js";
import { LogLines } from "./log-lines.js";

export const title = "Log";

/** A status, or a class of them. */
const STATUS = /^[1-5](\d\d|xx)$/;
const LEVELS = [
  { value: "", label: "All" },
  { value: "info", label: "Info" },
  { value: "warning", label: "Warnings" },
  { value: "error", label: "Errors" },
];

export function show(page) {
  const view = new LogView(page);
  page.root.append(
    head({
      title: "Log",
      lead: "The latest 1,000 requests from apps and the server's responses, without personal data.",
      actions: [view.hold, view.clear],
    }),
    view.element,
  );
  view.connect();
}

class LogView {
  constructor(page) {
    this.page = page;
    this.lines = new LogLines();
    this.state = h("span", { class: "live-state", role: "status" });
    this.count = h("span", { class: "hint" });
    this.hold = button("Pause", { "aria-pressed": "false", on: { click: () => this.setHeld(!this.isHeld) } }, "pause");
    this.clear = button("Clear", { on: { click: () => { this.lines.clear(); this.tell(); } } });
    this.waiting = [];
    this.makeFields();
    this.element = h("div", {},
      h("div", { class: "bar log-bar" },
        [this.operation, this.status, this.level, this.from, this.to].map(({ element }) => element),
        h("div", { class: "bar-end" }, this.state)),
      h("div", { class: "card" }, this.lines.element, h("div", { class: "grid-foot" }, this.count)));
    page.cleanUp(() => this.source?.close());
  }

  makeFields() {
    const known = this.page.query;
    const word = (label, name, placeholder) => new Field({
      label, name, placeholder, value: known.get(name) ?? "", autocomplete: "off", isCode: true,
    });
    const moment = (label, name) => new Field({
      label, name, type: "datetime-local", step: "1", value: localTime(known.get(name)),
    });
    this.operation = word("Operation", "operation", "records/query");
    this.status = word("Status", "status", "404 or 4xx");
    this.level = new Field({ label: "Level", name: "level", value: known.get("level") ?? "", options: LEVELS });
    this.from = moment("From", "from");
    this.to = moment("To", "to");
    const again = settled(() => this.connect(), 350);
    for (const field of [this.operation, this.status, this.from, this.to]) {
      field.input.addEventListener("input", again);
    }
    this.level.input.addEventListener("change", again);
  }

  /** What the fields say; null while one of them is not complete. */
  filters() {
    const status = this.status.value.trim();
    const [from, to] = [this.from, this.to].map((field) => (field.value ? new Date(field.value).getTime() : ""));
    const isStatus = status === "" || STATUS.test(status);
    const isTime = [this.from, this.to].every((field) => !field.input.validity.badInput);
    const isRange = from === "" || to === "" || from <= to;
    this.status.say(isStatus ? "" : "Enter a status such as 404 or 4xx.");
    this.to.say(isRange ? "" : "“To” must not be before “From”.");
    if (!isStatus || !isTime || !isRange) return null;
    // The last second of a range belongs to it as a whole.
    const end = to === "" ? "" : to + 999;
    return { operation: this.operation.value.trim(), status, level: this.level.value, from, to: end };
  }

  connect() {
    const filters = this.filters();
    if (!filters) return;
    this.source?.close();
    this.empty();
    note(Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)])));
    this.say("Connecting", "");
    this.source = new EventSource(api.address(api.inEnvironment("log"), filters));
    this.source.addEventListener("open", () => {
      // After an interruption the server begins with its last lines again.
      this.empty();
      this.say("Live", "good");
    });
    this.source.addEventListener("end", () => {
      this.source.close();
      this.say("Complete", "good");
      this.tell();
    });
    this.source.addEventListener("error", () => {
      if (this.page.signal.aborted) return;
      this.say(this.source.readyState === EventSource.CLOSED ? "Not connected" : "Reconnecting", "bad");
      // The server refused: the session may have ended.
      if (this.source.readyState !== EventSource.CLOSED) return;
      api.get("containers").catch((error) => this.say(error.message, "bad"));
    });
    this.source.addEventListener("message", (event) => this.take(event.data));
  }

  empty() {
    this.lines.clear();
    this.waiting = [];
    this.tell();
  }

  say(words, kind) { replace(this.state, h("span", { class: `dot ${kind}` }), words); }

  take(text) {
    let line;
    try {
      line = JSON.parse(text);
    } catch {
      line = { message: text };
    }
    this.waiting.push(line);
    // A page that nobody sees is not drawn.
    if (this.waiting.length > LogLines.KEPT) this.waiting.shift();
    if (!this.isHeld && !this.frame) this.frame = requestAnimationFrame(() => this.draw());
    if (this.isHeld) this.tell();
  }

  draw() {
    this.frame = null;
    this.lines.add(this.waiting);
    this.waiting = [];
    this.tell();
  }

  tell() {
    const shown = this.lines.count;
    if (shown === 0) {
      const hasRange = this.from.value || this.to.value;
      this.lines.showEmpty(empty(hasRange
        ? { iconName: "log", title: "No requests in this range", text: "The server keeps the latest 1,000 requests." }
        : { iconName: "log", title: "No requests yet", text: "New requests appear here." }));
    }
    const held = this.isHeld && this.waiting.length ? `, ${number(this.waiting.length)} waiting` : "";
    const text = `${plural(shown, "line")}${held}`;
    if (this.count.textContent !== text) this.count.textContent = text;
  }

  setHeld(isHeld) {
    this.isHeld = isHeld;
    this.hold.setAttribute("aria-pressed", String(isHeld));
    if (!isHeld) this.draw();
  }
}

/** A time in milliseconds as an input takes it, in this browser's time zone. */
function localTime(text) {
  const date = new Date(Number(text));
  if (!text || Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The lines of a log. One of them can be reached by Tab; the arrow keys move between them, and Enter opens one. */

import { copyable, open } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { bytes, clock, time } from "../core/format.js";

/** Members of a line that have a column of their own, or whose value is the same in every line. */
const SHOWN = new Set(["time", "level", "message", "operation", "status", "durationMs", "uuid"]);
const LABELS = {
  time: "Time", level: "Level", operation: "Operation", database: "Database", status: "Status",
  durationMs: "Duration", bytes: "Response size", uuid: "Request UUID", code: "Error code", reason: "Reason",
};

export class LogLines {
  /** Lines that are kept. The oldest go first. */
  static KEPT = 1000;

  constructor() {
    this.element = h("div", {
      class: "log", role: "group", "aria-label": "Log lines", on: { keydown: (event) => this.move(event) },
    });
  }

  get rows() { return this.element.querySelectorAll(".log-line"); }
  get count() { return this.rows.length; }

  clear() { this.element.replaceChildren(); }

  showEmpty(words) { this.element.replaceChildren(words); }

  add(lines) {
    if (lines.length === 0) return;
    const { element } = this;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    element.querySelector(".empty")?.remove();
    element.append(...lines.map((line) => this.row(line)));
    while (element.children.length > LogLines.KEPT) element.firstChild.remove();
    if (!element.querySelector("[tabindex='0']")) this.setCurrent(element.lastElementChild);
    if (isAtEnd) element.scrollTop = element.scrollHeight;
  }

  row(line) {
    const level = String(line.level ?? "info");
    const moment = Number(line.time);
    const more = Object.entries(line).filter(([name, value]) => !SHOWN.has(name) && value !== null && value !== "")
      .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`).join(" ");
    return h("button", { type: "button", tabindex: "-1", class: `log-line ${level}`, on: {
      click: (event) => { this.setCurrent(event.currentTarget); openEntry(line); },
    } },
      h("span", { class: "when", text: Number.isFinite(moment) ? clock(moment) : "" }),
      h("span", { class: "level", text: level }),
      h("span", { class: "what" },
        line.operation ? [line.operation, " "] : null, line.status ? [String(line.status), " "] : null,
        line.operation ? null : line.message ?? "", h("span", { class: "soft", text: more })),
      h("span", { class: "rest", text: line.durationMs === undefined ? "" : duration(line.durationMs) }));
  }

  setCurrent(row) {
    this.element.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    row?.setAttribute("tabindex", "0");
  }

  move(event) {
    const row = event.target.closest(".log-line");
    const next = {
      ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling,
      Home: this.element.firstElementChild, End: this.element.lastElementChild,
    }[event.key];
    if (!row || !next) return;
    event.preventDefault();
    this.setCurrent(next);
    next.focus();
  }
}

const duration = (milliseconds) => `${Number(milliseconds).toFixed(1)} ms`;

/** Shows everything that a line says. */
function openEntry(line) {
  const words = ([name, value]) => {
    if (name === "time") return time(value, { withMilliseconds: true });
    if (name === "durationMs") return `${value} ms`;
    if (name === "bytes") return bytes(value);
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  const entries = Object.entries(line).filter(([name, value]) => name !== "message" && value !== null);
  const list = h("dl", { class: "entry" }, entries.map((entry) => [
    h("dt", { text: LABELS[entry[0]] ?? entry[0] }), h("dd", { text: words(entry) }),
  ]));
  const copy = copyable(JSON.stringify(line, null, 2), list, { label: "Copy as JSON", class: "primary" });
  open({ title: line.operation ?? "Log entry", content: list, actions: [copy] });
}

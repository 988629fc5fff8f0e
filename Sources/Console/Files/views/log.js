/** The server's log of this environment, as it is written. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { h, replace, settled } from "../core/dom.js";
import { Field } from "../core/form.js";
import { clock, number, plural } from "../core/format.js";
import { empty, head } from "../core/parts.js";
import { note } from "../core/router.js";

export const title = "Log";

/** Lines that are kept; the oldest go. */
const KEPT = 1000;
/** A status, or a class of them. */
const STATUS = /^[1-5](\d\d|xx)$/;

export function show(page) {
  const view = new LogView(page);
  page.root.append(
    head({
      title: "Log",
      lead: "Requests and what the server says of them, without personal data.",
      actions: [view.hold, view.clear],
    }),
    view.element,
  );
  view.connect();
}

class LogView {
  constructor(page) {
    this.page = page;
    this.lines = h("div", { class: "log", tabindex: "0", role: "log", "aria-label": "Log lines", "aria-live": "off" });
    this.state = h("span", { class: "live-state", role: "status" });
    this.count = h("span", { class: "hint" });
    this.hold = button("Pause", { "aria-pressed": "false", on: { click: () => this.setHeld(!this.isHeld) } }, "pause");
    this.clear = button("Clear", { on: { click: () => { this.lines.replaceChildren(); this.tell(); } } });
    const again = settled(() => this.connect(), 350);
    this.operation = new Field({
      label: "Operation",
      name: "operation",
      value: page.query.get("operation") ?? "",
      placeholder: "records/query",
      autocomplete: "off",
      isCode: true,
    });
    this.status = new Field({
      label: "Status",
      name: "status",
      value: page.query.get("status") ?? "",
      placeholder: "404 or 4xx",
      autocomplete: "off",
      isCode: true,
    });
    this.level = new Field({
      label: "Level",
      name: "level",
      value: page.query.get("level") ?? "",
      options: [
        { value: "", label: "All" },
        { value: "info", label: "Info" },
        { value: "warning", label: "Warnings" },
        { value: "error", label: "Errors" },
      ],
    });
    for (const field of [this.operation, this.status]) field.input.addEventListener("input", again);
    this.level.input.addEventListener("change", again);
    this.waiting = [];
    this.element = h("div", {}, h(
      "div",
      { class: "bar" },
      this.operation.element,
      this.status.element,
      this.level.element,
      h("div", { class: "bar-end" }, this.state),
    ),
      h("div", { class: "card" }, this.lines, h("div", { class: "grid-foot" }, this.count)));
    page.cleanUp(() => this.source?.close());
  }

  connect() {
    const status = this.status.value.trim();
    const isWhole = status === "" || STATUS.test(status);
    this.status.say(isWhole ? "" : "Such as 404, or 4xx.");
    if (!isWhole) return;
    this.source?.close();
    this.lines.replaceChildren();
    this.waiting = [];
    const filters = { operation: this.operation.value.trim(), status, level: this.level.value };
    note(filters);
    this.say("Connecting", "");
    this.tell();
    this.source = new EventSource(api.address(api.inEnvironment("log"), filters));
    this.source.addEventListener("open", () => {
      // After an interruption the server begins with its last lines again.
      this.lines.replaceChildren();
      this.waiting = [];
      this.say("Live", "good");
      this.tell();
    });
    this.source.addEventListener("error", () => {
      if (this.page.signal.aborted) return;
      this.say(this.source.readyState === EventSource.CLOSED ? "Not connected" : "Connecting again", "bad");
      // What is closed was refused: the session may be over.
      if (this.source.readyState !== EventSource.CLOSED) return;
      api.get("containers").catch((error) => this.say(error.message, "bad"));
    });
    this.source.addEventListener("message", (event) => this.take(event.data));
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
    if (this.waiting.length > KEPT) this.waiting.shift();
    if (!this.isHeld && !this.frame) this.frame = requestAnimationFrame(() => this.draw());
    if (this.isHeld) this.tell();
  }

  draw() {
    this.frame = null;
    const isAtEnd = this.lines.scrollHeight - this.lines.scrollTop - this.lines.clientHeight < 40;
    this.lines.querySelector(".empty")?.remove();
    this.lines.append(...this.waiting.map(row));
    this.waiting = [];
    while (this.lines.children.length > KEPT) this.lines.firstChild.remove();
    if (isAtEnd) this.lines.scrollTop = this.lines.scrollHeight;
    this.tell();
  }

  tell() {
    const shown = this.lines.querySelectorAll(".log-line").length;
    if (shown === 0 && !this.lines.querySelector(".empty")) this.lines.append(empty({
      iconName: "log",
      title: "Nothing yet",
      text: "Lines show up here as requests come.",
    }));
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

/** What has a place of its own in a line, or says the same of every line. */
const SHOWN = new Set([
  "time",
  "level",
  "message",
  "operation",
  "route",
  "status",
  "durationMs",
  "milliseconds",
  "uuid",
  "container",
  "environment",
  "target",
  "client",
  "method",
]);

function row(line) {
  const level = String(line.level ?? "info");
  const moment = typeof line.time === "number" ? line.time : Date.parse(line.time ?? "");
  const took = line.durationMs ?? line.milliseconds;
  const more = Object.entries(line).filter(([name, value]) => !SHOWN.has(name) && value !== null && value !== "")
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`).join(" ");
  const operation = line.operation ?? line.route;
  return h("div", { class: `log-line ${level}` },
    h("span", {
      class: "when",
      text: Number.isNaN(moment) ? "" : clock(moment),
      title: line.uuid ? `request ${line.uuid}` : null,
    }),
    h("span", { class: "level", text: level }),
    h(
      "span",
      { class: "what" },
      operation ? [operation, " "] : null,
      line.status ? [String(line.status), " "] : null,
      operation ? null : line.message ?? "",
      " ",
      h("span", { class: "soft", text: more }),
    ),
    h("span", { class: "rest", text: took === undefined ? "" : `${Number(took).toFixed(1)} ms` }));
}

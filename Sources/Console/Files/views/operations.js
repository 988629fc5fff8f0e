/** Requests by operation: how many there were, how many failed, and how long they took. */

import { h } from "../core/dom.js";
import { number } from "../core/format.js";
import { table } from "../core/parts.js";

const milliseconds = (value) => (value === null ? "–" : `${value.toFixed(value < 10 ? 1 : 0)} ms`);

/** A table of operations; nothing without any. */
export function operationTable({ title, hint, rows }) {
  if (rows.length === 0) return null;
  return h("section", { class: "card", "aria-label": title },
    h("div", { class: "card-head" },
      h("div", { class: "grow words" }, h("h2", { text: title }), h("p", { class: "hint", text: hint }))),
    table({
      label: title,
      columns: [
        { name: "Operation", class: "main" },
        { name: "Requests", class: "number" },
        { name: "Failed", class: "number" },
        { name: "Median", class: "number" },
        { name: "95 %", class: "number" },
        { name: "99 %", class: "number" },
      ],
      rows: rows.map((row) => [
        h("code", { text: row.operation }),
        row.requests === null ? "–" : number(row.requests),
        number(row.errors),
        milliseconds(row.latency50), milliseconds(row.latency95), milliseconds(row.latency99),
      ]),
    }));
}

/** A choice of the operation whose latency is shown over time. */
export function operationChoice(operations, operation, choose) {
  const names = operations.map((row) => row.operation);
  if (operation && !names.includes(operation)) names.push(operation);
  const choice = h("select", { class: "input slim", name: "operation", "aria-label": "Operation of the latency chart" },
    h("option", { value: "", text: "All operations" }),
    names.map((name) => h("option", { value: name, text: name })));
  choice.value = operation;
  choice.addEventListener("change", () => choose(choice.value));
  return choice;
}

/** What became of an import: how much was saved, and each line that was not. */

import { button } from "../../core/dialog.js";
import { h } from "../../core/dom.js";
import { number, plural } from "../../core/format.js";
import { notice } from "../../core/parts.js";
import { csvOf, saveFile } from "../files.js";

/** Lines with errors that are listed. */
const LISTED = 200;

/** The first lines with errors, each with its reason, and how many more there are. */
export function lineList(items, count) {
  const listed = items.slice(0, LISTED);
  return h("div", { class: "stack-small" },
    h("ul", { class: "refusals", tabindex: "0", "aria-label": "Lines with errors" }, listed.map(({ line, reason }) =>
      h("li", {}, h("strong", { text: `Line ${number(line)}` }), ` ${reason}`))),
    count > listed.length ? h("p", { class: "hint", text: `… and ${number(count - listed.length)} more.` }) : null);
}

/** The end of an import, for the developer. */
export function resultOf({ saved, refused, refusedCount, failure, isCancelled, line }) {
  const words = [`${plural(saved, "record")} saved.`];
  if (refusedCount) words.push(`${plural(refusedCount, "row")} not saved.`);
  const isWhole = !failure && !isCancelled;
  return h("div", { class: "stack" },
    notice(words.join(" "), isWhole && !refusedCount ? { kind: "good", iconName: "check" } : { kind: "warn" }),
    isCancelled ? h("p", { text: line ? `Cancelled. Nothing after line ${number(line)} was saved.`
      : "Cancelled. Nothing was saved." }) : null,
    failure ? notice(reasonOf(failure), { kind: "problem" }) : null,
    refused.length ? [lineList(refused, refusedCount), h("div", {}, button("Save the list of errors", {
      class: "small", on: { click: () => saveFile("import-errors.csv", errorFile(refused), "text/csv") },
    }, "download"))] : null);
}

function reasonOf({ reason, from, to, isKnown }) {
  if (isKnown || !to) return `The import stopped: ${reason} Nothing from line ${number(from)} on was saved.`;
  return `The import stopped: ${reason} Lines ${number(from)} to ${number(to)} may have been saved. `
    + "Nothing after them was saved.";
}

/** The errors as CSV. */
const errorFile = (items) => csvOf([["line", "reason"], ...items.map(({ line, reason }) => [String(line), reason])]);

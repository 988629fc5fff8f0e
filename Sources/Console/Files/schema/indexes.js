/** The indexes of an environment, and the progress of those that are being built. */

import * as api from "../core/api.js";
import { h } from "../core/dom.js";
import { number } from "../core/format.js";
import { badge, empty, loaded, table } from "../core/parts.js";

/** Time between two requests while an index is being built, in milliseconds. */
const PAUSE = 2000;

/** The progress of an index. One that waits for others has not begun. */
function progressOf(index) {
  const { recordType, field, indexedRecords: done, totalRecords: total } = index;
  if (done === undefined) return h("span", { class: "hint", text: "waiting for other indexes" });
  if (total === undefined) return h("span", { class: "hint", text: "counting the records" });
  const share = Math.floor((done * 100) / Math.max(total, 1));
  const text = `${number(done)} of ${number(total)} records, ${share} %`;
  return h("span", { class: "progress" },
    h("span", { class: "progress-text", text }),
    h("progress", { max: String(Math.max(total, 1)), value: String(done), "aria-label": `${recordType}.${field}` }));
}

export async function show(page) {
  let timer;
  const place = loaded(page, () => api.get(
    api.inEnvironment("schema", "indexes"),
    { signal: page.signal },
  ), ({ indexes }) => {
    clearTimeout(timer);
    if (indexes.some((index) => !index.isComplete)) timer = setTimeout(() => place.reload(), PAUSE);
    if (indexes.length === 0) return h(
      "div",
      { class: "card" },
      empty({
        iconName: "schema",
        title: "No indexes",
        text: "Make a field queryable, sortable or searchable under “Record types” to index it.",
      }),
    );
    return table({
      label: "Indexes",
      columns: [{ name: "Record type", class: "main" }, { name: "Field" }, { name: "For" }, { name: "State" }],
      rows: indexes.map((index) => [
        index.recordType,
        h("code", { text: index.field }),
        h("span", { class: "badges" }, index.kinds.map((kind) => badge(kind.toLowerCase()))),
        index.isComplete ? badge("complete", "good") : h(
          "span",
          { class: "row" },
          badge("being built", "warn"),
          progressOf(index),
        ),
      ]),
    });
  });
  page.cleanUp(() => clearTimeout(timer));
  page.root.append(place.element);
  await place.reload();
}

/** What the records view shows instead of records: why there are none, and what to do about it. */

import { button } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { empty, failure } from "../core/parts.js";
import { addressOf } from "../core/router.js";
import { state } from "../core/state.js";

/** A query that found nothing. */
export function noRecords({ filters, typeName }, watch) {
  if (!filters.isEmpty) return empty({
    iconName: "filter",
    title: "No records found",
    text: "No record matches all the filters.",
  });
  return empty({
    iconName: "records",
    title: `No ${typeName} records yet`,
    text: "Apps save records here. “Live” shows them as they are saved.",
    actions: [button("Watch live", { on: { click: watch } }, "play")],
  });
}

/** A query that was refused. If it lacks an index, the schema is where to add it. */
export function queryFailure(error, typeName, retry) {
  const lacksIndex = /marked (queryable|sortable)/i.test(error.message);
  return h("div", { class: "stack", role: "presentation" }, h("div"), failure(error, retry), lacksIndex ? h(
    "p",
    { class: "soft" },
    "This query needs an index. ",
    h("a", {
      href: addressOf(state.container, "development", "schema", { type: typeName }),
      text: "Add it in the schema",
    }),
    ", then run the query again.",
  ) : null);
}

/** An address that names something that does not exist. */
export const wrongAddress = (problem) => h(
  "div",
  { class: "card-body stack" },
  failure(new Error(problem)),
  h("div", {}, h("a", {
    class: "button", href: addressOf(state.container, state.environment, "records"), text: "Show all records",
  })),
);

export const noZone = (database) => empty({
  iconName: "zones", title: "No zone",
  text: database === "shared" ? "Nobody has shared a zone or a record with this account yet."
    : "The default zone is created with the first record.",
});

export const noTypes = () => empty({
  iconName: "schema", title: "No record types yet",
  text: state.environment === "development"
    ? "Design one, import a file, or let an app save its first record. That adds its record type to the schema."
    : "Nothing has been deployed to production yet.",
  actions: [h("a", {
    class: "button primary",
    href: addressOf(state.container, state.environment, "schema"),
    text: "Open the schema",
  })],
});

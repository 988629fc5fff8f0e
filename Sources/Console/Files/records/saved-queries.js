/** Queries that a developer has saved under a name: kept in this browser, for both environments of the container. */

import { button, open } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { keep, kept } from "../core/kept.js";
import { empty, rowButton } from "../core/parts.js";
import { addressOf } from "../core/router.js";
import { state } from "../core/state.js";

/** Saved queries of a container. */
const SAVED = 100;
/** Characters of a name. */
const NAME = 100;

const all = () => kept("queries", []).filter(({ name, parameters }) => typeof name === "string" && parameters);

/** Shows the saved queries, and saves the present one, of which `parameters` are the address's. */
export function showSavedQueries(parameters) {
  const list = h("ul", { class: "saved-list" });
  const name = new Field({
    label: "Save the query shown", name: "queryName", required: true, maxlength: String(NAME), autocomplete: "off",
    placeholder: "Name",
  });
  const form = new Form({
    fields: [name], content: name.element, actions: [button("Save query", { type: "submit", class: "primary" })],
    submit: async () => {
      const others = all().filter((query) => query.name !== name.value.trim());
      if (others.length >= SAVED) throw new Error(`At most ${SAVED} queries can be saved. Delete one first.`);
      if (!keep("queries", [...others, { name: name.value.trim(), parameters }])) {
        throw new Error("This browser could not save the query.");
      }
      name.value = "";
      draw();
    },
  });
  const dialog = open({ title: "Saved queries", content: [list, parameters ? form.element : null].filter(Boolean) });

  function draw() {
    const queries = all().sort((one, other) => one.name.localeCompare(other.name));
    replace(list, queries.length ? queries.map((query) => h("li", {},
      h("a", {
        href: addressOf(state.container, state.environment, "records", query.parameters), text: query.name,
        on: { click: () => dialog.close() },
      }),
      h("small", { text: describe(query.parameters) }),
      rowButton(`Delete ${query.name}`, "remove", () => {
        keep("queries", all().filter((other) => other.name !== query.name));
        draw();
      }))) : h("li", { class: "none" }, empty({
        iconName: "filter", title: "No saved queries",
        text: "A saved query keeps the database, zone, record type, filters and order, in this browser only. "
          + "To share a query, send its address.",
      })));
  }

  draw();
  (parameters ? name.input : list.querySelector("a"))?.focus();
}

function describe({ database = "public", type, filter, order }) {
  let count = 0;
  try {
    count = filter ? JSON.parse(filter).length : 0;
  } catch {
    // The view says so when the query is opened.
  }
  return [type, database, count ? `${count} ${count === 1 ? "filter" : "filters"}` : "", order ? `order ${order}` : ""]
    .filter(Boolean).join(" · ");
}

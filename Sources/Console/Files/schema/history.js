/** The history of the schema, and rolling back changes that nobody uses. */

import * as api from "../core/api.js";
import { button, confirmByName, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { time } from "../core/format.js";
import { badge, empty, loaded } from "../core/parts.js";
import { mayManage } from "../core/state.js";

const WORDS = { apply: "Applied", import: "Imported", deploy: "Deployed", rollback: "Rolled back", reset: "Reset" };

export async function show(page) {
  const mayRollBack = mayManage();
  const place = loaded(page, () => api.get(
    api.inEnvironment("schema", "history"),
    { signal: page.signal },
  ), ({ history }) => {
    if (history.length === 0) return h(
      "div",
      { class: "card" },
      empty({
        iconName: "changes",
        title: "No changes yet",
        text: "Every import, deployment, rollback and reset is listed here with its author.",
      }),
    );
    return h("ol", { class: "stack plain" }, history.map((entry) => h("li", { class: "card" },
      h("div", { class: "card-head" },
        h(
          "div",
          { class: "row" },
          badge(WORDS[entry.kind] ?? entry.kind, entry.kind === "deploy" ? "tint" : ""),
          h("h2", { text: entry.name || `Change ${entry.number}` }),
        ),
        h("div", { class: "row" }, h("span", {
          class: "hint",
          text: `${time(entry.time)}${entry.by ? ` · ${entry.by}` : ""}`,
        }),
          mayRollBack && !["reset", "rollback"].includes(entry.kind) ? button("Roll back", {
            class: "small danger-quiet",
            on: { click: () => rollBack(entry) },
          }) : null)),
      h("pre", { class: "card-body history-diff", text: entry.diff || "No difference" }))));
  });

  async function rollBack(entry) {
    const isDone = await confirmByName({
      title: "Roll this back?",
      text: "This removes the record types, fields, indexes and roles that the change added. Nothing is removed if "
        + "records use one of them, or a role has members or permissions. Permissions are restored, unless a later "
        + "change replaced them.",
      details: entry.diff ? h("pre", { class: "history-diff of-dialog", tabindex: "0", text: entry.diff }) : null,
      busy: "Checking that no record uses the removed parts",
      name: entry.name || String(entry.number),
      action: "Roll back",
      perform: () => api.post(api.inEnvironment("schema", "rollback"), { number: entry.number }),
    });
    if (!isDone) return;
    toast("Rolled back.");
    await place.reload();
  }

  page.root.append(place.element);
  await place.reload();
}

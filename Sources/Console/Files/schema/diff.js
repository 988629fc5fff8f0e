/** The changes of a schema, as a list for people. */

import { confirmByName } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { describe, losses } from "../core/schema.js";
import { state } from "../core/state.js";

const SIGNS = { adds: ["+", "added"], removes: ["−", "removed"], alters: ["~", "changed"] };

export function diff(changes) {
  return h("ul", { class: "diff" }, changes.map((change) => {
    const { kind, text, detail } = describe(change);
    const [sign, word] = SIGNS[kind];
    return h("li", { class: kind }, h("span", { class: "sign", "aria-hidden": "true", text: sign }),
      h(
        "span",
        {},
        h("span", { class: "visually-hidden", text: `${word}: ` }),
        text,
        detail ? [" ", h("code", { class: "soft", text: detail })] : null,
      ));
  }));
}

/**
 * Asks for the name of what changes take away, if they take anything; for that of the container, if it is more than
 * one.
 * @returns {Promise<boolean>} whether they are meant
 */
export async function mayLose(changes) {
  const lost = losses(changes);
  if (lost.length === 0) return true;
  return confirmByName({
    title: lost.length === 1 ? `Delete ${lost[0]}?` : `Delete ${lost.length} parts of the schema?`,
    text: `Saving removes ${lost.join(", ")} from the schema. It fails if records still use what is removed.`,
    name: lost.length === 1 ? lost[0] : state.container,
    action: "Delete and save",
    perform: async () => {},
  });
}

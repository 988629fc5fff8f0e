/** The changes of a schema, as a list for people. */

import { h } from "../core/dom.js";
import { describe } from "../core/schema.js";

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

/** The layout of pages that need no sign-in: one card in the middle. */

import { h, replace } from "./dom.js";
import { cloud } from "./icons.js";

export function gate(page, { title, lead, content }) {
  replace(page.root, h("div", { class: "card" },
    h("div", { class: "brand" }, cloud(), h("span", { text: "Stratus" })),
    h("h1", { tabindex: "-1", text: title }), h("p", { class: "lead", text: lead }), content));
}

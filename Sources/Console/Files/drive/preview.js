/** Shows a file: pictures of safe types, and text as text. Nothing of a file is ever read as markup. */

import * as api from "./api.js";
import { button, open } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { bytes, named, visible } from "../core/format.js";

/** Bytes of a text that are shown. */
const TEXT_LIMIT = 262_144;

const isText = (text) => !/[\u0000-\u0008\u000e-\u001a\ufffd]/.test(text.slice(0, 4096));

export async function preview(item, act) {
  const save = button("Download", { class: "primary", on: { click: () => act("download", [item]) } }, "download");
  const body = h("div", { class: "drive-preview" }, h("p", { class: "soft", text: "Loading…" }));
  open({ title: named(item.name), content: body, actions: [save], kind: "wide" });
  const none = (text) => replace(body, h("p", { class: "soft", text }));
  if (item.kind === "link") return none(`A symbolic link to ${named(item.target)}`);
  if (item.size === 0) return none("This file is empty.");
  if (item.isPicture) {
    const src = api.address(`items/${item.id}/picture`, { v: item.version }, api.filesOf(item));
    const picture = h("img", { alt: visible(item.name), src });
    picture.addEventListener("error", () => none("This picture cannot be shown."));
    return replace(body, picture);
  }
  let text;
  try {
    text = await api.text(item, TEXT_LIMIT);
  } catch (error) {
    return none(`This file cannot be shown: ${error.message}`);
  }
  if (!isText(text)) return none(`There is no preview of this file. It has ${bytes(item.size)}.`);
  return replace(body, h("pre", { tabindex: "0", role: "group", "aria-label": `Text of ${named(item.name)}`, text }),
    item.size > TEXT_LIMIT ? h("p", { class: "hint", text: `The first ${bytes(TEXT_LIMIT)} are shown.` }) : null);
}

/** Bytes, shown as base64, hexadecimal digits or text, or taken from a file. */

import { h } from "../core/dom.js";
import { bytes as size } from "../core/format.js";
import { segments } from "../core/parts.js";

const FORMS = {
  base64: {
    label: "Base64", show: encode,
    parse(text) {
      try {
        return Uint8Array.from(atob(text.replace(/\s+/g, "")), (character) => character.charCodeAt(0));
      } catch {
        throw new Error("Enter Base64.");
      }
    },
  },
  hex: {
    label: "Hex", show: (value) => Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join(" "),
    parse(text) {
      const digits = text.replace(/\s+/g, "");
      if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new Error("Enter pairs of hexadecimal digits.");
      return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    },
  },
  text: {
    label: "Text",
    show: (value) => new TextDecoder("utf-8", { fatal: true }).decode(value),
    parse: (text) => new TextEncoder().encode(text),
  },
};

export function bytesEditor(context) {
  let form = "base64";
  const area = h("textarea", {
    class: "input code",
    rows: "2",
    spellcheck: "false",
    "aria-label": context.label,
    "aria-describedby": context.describedBy,
  });
  const problem = h("div", { class: "hint", role: "status" });
  const file = h("input", {
    type: "file",
    class: "visually-hidden",
    "aria-label": `${context.label}: file`,
    tabindex: "-1",
  });
  const choose = h("button", {
    type: "button",
    class: "button small",
    text: "Choose a file",
    on: { click: () => file.click() },
  });
  const save = h("button", { type: "button", class: "button small", text: "Save as a file", on: { click: download } });

  const read = () => FORMS[form].parse(area.value);
  const tell = () => {
    try {
      problem.textContent = size(read().length);
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  area.addEventListener("input", tell);
  file.addEventListener("change", async () => {
    if (!file.files.length) return;
    const taken = new Uint8Array(await file.files[0].arrayBuffer());
    area.value = FORMS[form === "text" ? "base64" : form].show(taken);
    tell();
  });

  function download() {
    const link = h("a", { download: context.label ?? "bytes", href: URL.createObjectURL(new Blob([read()])) });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const offered = Object.entries(FORMS).map(([value, { label }]) => ({ value, label }));
  const forms = segments("Form", offered, form, (next) => {
    try {
      const shown = FORMS[next].show(read());
      form = next;
      area.value = shown;
      tell();
    } catch {
      form = next;
      problem.textContent = "These bytes are not text. If you type here, you replace them.";
      area.value = "";
    }
  });

  return {
    element: h(
      "div",
      { class: "stack-small" },
      area,
      context.isPlain ? null : h("div", { class: "row" }, forms, choose, save, file, problem),
    ),
    focus: () => area.focus(),
    write(value) {
      area.value = value ? FORMS[form].show(FORMS.base64.parse(value)) : "";
      tell();
    },
    read: () => encode(read()),
  };
}

function encode(value) {
  let text = "";
  for (let at = 0; at < value.length; at += 32_768) text += String.fromCharCode(...value.subarray(at, at + 32_768));
  return btoa(text);
}

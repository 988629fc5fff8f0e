/** A file beside a record: shown if it is a picture, taken from a file or by dropping one, saved as a file. */

import { download, upload } from "../core/cloud.js";
import { button, progress } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { bytes } from "../core/format.js";
import { icon } from "../core/icons.js";

/** Bytes of the largest file that is downloaded for a preview. */
const SHOWN = 8 * 1_048_576;

/** The first bytes of the image formats that are shown: none of them can contain scripts. */
const PICTURES = [
  [[0x89, 0x50, 0x4e, 0x47], "image/png"], [[0xff, 0xd8, 0xff], "image/jpeg"], [[0x47, 0x49, 0x46, 0x38], "image/gif"],
  [[0x52, 0x49, 0x46, 0x46], "image/webp"], [[0x42, 0x4d], "image/bmp"],
];

export function assetEditor(context) {
  let value = null;
  /** The file that was chosen last. */
  let chosen = null;
  let waiting = null;
  const picture = h("div", { class: "asset-picture" }, icon("records"));
  const words = h("div", { class: "hint" });
  const busy = h("div");
  const file = h("input", {
    type: "file",
    class: "visually-hidden",
    tabindex: "-1",
    "aria-label": `${context.label}: file`,
  });
  const choose = button(
    "Choose a file",
    { class: "small", "aria-describedby": context.describedBy, on: { click: () => file.click() } },
    "upload",
  );
  const save = button("Save as a file", { class: "small", disabled: true, on: { click: keep } }, "download");
  const element = h("div", { class: "asset" }, picture,
    h("div", { class: "asset-words" }, words, busy, h("div", { class: "row" }, choose, save, file)));

  file.addEventListener("change", () => { if (file.files.length) take(file.files[0]); });
  for (const [event, isOver] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    element.addEventListener(event, (dragged) => {
      dragged.preventDefault();
      element.classList.toggle("over", isOver);
      if (event === "drop" && dragged.dataTransfer.files.length) take(dragged.dataTransfer.files[0]);
    });
  }

  function take(taken) {
    const bar = progress(`Uploading ${taken.name}`);
    replace(busy, bar.element);
    waiting = (async () => {
      try {
        value = await upload(context.place, {
          recordType: context.recordType,
          recordName: context.recordName(),
          fieldName: context.fieldName,
        }, taken,
          (sent, whole) => bar.set(whole ? sent / whole : null));
        chosen = taken;
        replace(busy);
        await show(taken);
      } catch (error) {
        replace(
          busy,
          h("div", { class: "field-error", role: "alert" }, icon("warning"), h("span", { text: error.message })),
        );
      } finally {
        waiting = null;
      }
    })();
  }

  async function show(blob) {
    words.textContent = value ? `${chosen?.name ? `${chosen.name}, ` : ""}${bytes(value.size)}`
      : "No file yet. Choose one, or drop it here.";
    save.disabled = !value;
    replace(picture, icon("records"));
    if (!value || !blob) return;
    const start = new Uint8Array(await blob.slice(0, 12).arrayBuffer());
    const kind = PICTURES.find(([magic]) => magic.every((byte, index) => start[index] === byte))?.[1];
    if (!kind) return;
    const address = URL.createObjectURL(new Blob([blob], { type: kind }));
    const image = h("img", { alt: `${context.label}, a picture`, src: address });
    image.addEventListener("load", () => URL.revokeObjectURL(address));
    replace(picture, image);
  }

  async function keep() {
    try {
      const blob = chosen ?? await download(value, { signal: context.signal });
      const address = URL.createObjectURL(blob);
      h("a", { href: address, download: chosen?.name ?? context.fieldName ?? "asset" }).click();
      URL.revokeObjectURL(address);
    } catch (error) {
      replace(
        busy,
        h("div", { class: "field-error", role: "alert" }, icon("warning"), h("span", { text: error.message })),
      );
    }
  }

  show(null);
  return {
    element, focus: () => choose.focus(),
    write(next) {
      value = next ?? null;
      chosen = null;
      show(null);
      if (value?.downloadURL && value.size <= SHOWN) {
        download(value, { signal: context.signal }).then(show, () => {
          /* Its size is shown; saving it says why it is not there. */
        });
      }
    },
    read() {
      if (waiting) throw new Error("Wait until the upload is complete.");
      return value;
    },
  };
}

/** Links to published files: making one, the list of all, and ending one. */

import * as api from "./api.js";
import { Field, Form } from "../core/form.js";
import { button, confirm, open, showSecret, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { bytes, named, time, visible } from "../core/format.js";
import { empty, table } from "../core/parts.js";

const HOUR = 3600;
const LIFETIMES = [
  { value: HOUR, label: "1 hour" }, { value: 24 * HOUR, label: "1 day" }, { value: 7 * 24 * HOUR, label: "7 days" },
  { value: 30 * 24 * HOUR, label: "30 days" }, { value: 90 * 24 * HOUR, label: "90 days" },
];

export async function publish([item]) {
  const field = new Field({
    label: "The link works for", name: "lifetime", options: LIFETIMES, value: String(7 * 24 * HOUR),
    hint: "Anybody who has the link can download the file as it is now, without an account.",
  });
  const form = new Form({
    fields: [field], content: [field.element],
    actions: [button("Publish", { class: "primary", type: "submit", id: "publish-now" })],
    submit: async () => dialog.close(await api.post("publish", { item: item.id, lifetime: Number(field.value) })),
  });
  const dialog = open({ title: `Publish ${named(item.name)}`, content: form.element });
  field.input.focus();
  const published = await dialog.closed;
  if (!published) return;
  await showSecret({
    title: `${named(item.name)} is published`, text: "Copy the link now. It cannot be shown again.",
    secrets: [{ label: `Works until ${time(published.expires).slice(0, 16)}`, value: published.url }],
  });
}

/** The published files of the person, as an element. */
export async function publishedFiles(signal, refresh) {
  const { publications } = await api.get("published", {}, signal);
  if (!publications.length) {
    return empty({
      iconName: "link", title: "No file is published", text: "Select a file and choose Publish to make a link to it.",
    });
  }
  const end = async ({ id, name }) => {
    const text = `The link to ${named(name)} stops working at once.`;
    if (!await confirm({ title: "End this link?", text, action: "End link" })) return;
    await api.post("unpublish", { publication: id });
    toast("The link has ended.");
    await refresh();
  };
  return table({
    label: "Published files",
    columns: [{ name: "Name" }, { name: "Size" }, { name: "Published" }, { name: "Until" },
      { name: "Actions", isHidden: true }],
    rows: publications.map((file) => [
      h("span", { class: "drive-published", text: visible(file.name) }), bytes(file.size),
      time(file.created).slice(0, 16), time(file.expires).slice(0, 16),
      button("End link", {
        class: "small", "aria-label": `End the link to ${named(file.name)}`, on: { click: () => end(file) },
      }),
    ]),
  });
}

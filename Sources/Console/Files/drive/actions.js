/** Actions on items, each with the dialog that it needs. */

import * as api from "./api.js";
import { place } from "./place.js";
import { Field, Form } from "../core/form.js";
import { button, confirm, open, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { bytes, named, plural, time, visible } from "../core/format.js";
import { icon } from "../core/icons.js";
import { badge } from "../core/parts.js";

const identifiers = (items) => items.map(({ id }) => id);

/** Asks for a name. */
function askName({ title, label, value = "", action, perform }) {
  const field = new Field({ label, name: "name", value, autocomplete: "off" });
  const submit = button(action, { class: "primary", type: "submit" });
  const form = new Form({
    fields: [field], content: [field.element], actions: [submit],
    submit: async () => {
      await perform(field.value);
      dialog.close(true);
    },
  });
  const dialog = open({ title, content: form.element });
  field.input.value = value;
  field.input.focus();
  const dot = value.lastIndexOf(".");
  field.input.setSelectionRange(0, dot > 0 ? dot : value.length);
  return dialog.closed;
}

export const makeFolder = (folder, done) => askName({
  title: "New folder", label: "Name", action: "Create",
  perform: async (name) => { await api.post("folder", { name, folder: folder ?? "" }); await done(); },
});

export const rename = ([item], done) => askName({
  title: "Rename", label: "Name", value: item.name, action: "Rename",
  perform: async (name) => {
    const { results: [result] } = await api.post("move", { items: [item.id], name });
    if (result.error === "UNIQUE_FIELD_ERROR") throw new Error("There is an item of this name already.");
    if (result.error) throw new Error(result.reason);
    await done();
  },
});

/** Shows how many items failed, and why the first did. True if none failed. */
function report(results) {
  const failed = results.filter(({ error }) => error);
  if (failed.length) toast(`${plural(failed.length, "item")} failed: ${failed[0].reason}.`, { isProblem: true });
  return failed.length === 0;
}

export async function remove(items, done) {
  const { results } = await api.post("delete", { items: identifiers(items) });
  if (report(results)) toast(`${plural(items.length, "item")} moved to Recently Deleted.`);
  await done();
}

export async function restore(items, done) {
  const { results } = await api.post("restore", { items: identifiers(items) });
  if (report(results)) toast(`${plural(items.length, "item")} restored.`);
  await done();
}

export async function erase(items, done) {
  const isSure = await confirm({
    title: "Delete for good?", text: `${plural(items.length, "item")} cannot be restored afterwards.`,
    action: "Delete for good",
  });
  if (!isSure) return;
  const { results } = await api.post("delete-for-good", { items: identifiers(items) });
  report(results);
  await done();
}

export async function download(items) {
  if (items.length !== 1 || !["file", "package"].includes(items[0].kind)) {
    return api.archive(identifiers(items), api.filesOf(items[0]));
  }
  const href = api.address(`items/${items[0].id}/content`, {}, api.filesOf(items[0]));
  const link = h("a", { href, download: items[0].name });
  document.body.append(link);
  link.click();
  link.remove();
  return undefined;
}

/** Asks what happens to items whose names are taken: "replace", "number", or undefined for leaving them. */
export async function askCollision(names) {
  const choices = [["replace", "Replace"], ["number", "Keep both"], [undefined, "Skip"]];
  const actions = choices.map(([value, label]) => button(label, {
    id: `collision-${value ?? "skip"}`, on: { click: () => dialog.close(value) },
  }));
  const dialog = open({
    title: names.length === 1 ? "There is an item of this name already" : `${names.length} names are taken already`,
    content: h("ul", { class: "drive-names" }, names.slice(0, 8).map((name) => h("li", { text: visible(name) }))),
    actions,
  });
  // The one that loses nothing.
  actions[1].focus();
  return dialog.closed;
}

/** Moves items into a folder: an item, or a path from the root folder. */
export async function move(items, folder, done) {
  const target = folder.id
    ?? (folder.path.length || place.root
      ? (await api.get("list", { path: folder.path.join("/"), root: place.root })).folder : "");
  let { results } = await api.post("move", { items: identifiers(items), folder: target });
  const taken = results.filter(({ error }) => error === "UNIQUE_FIELD_ERROR").map(({ id }) => id);
  if (taken.length) {
    results = results.filter(({ id }) => !taken.includes(id));
    const ifTaken = await askCollision(items.filter(({ id }) => taken.includes(id)).map(({ name }) => name));
    if (ifTaken) results.push(...(await api.post("move", { items: taken, folder: target, ifTaken })).results);
  }
  if (report(results) && results.length) toast(`${plural(results.length, "item")} moved.`);
  await done();
}

/** Asks for the folder that items move to. */
export async function relocate(items, done) {
  const moving = new Set(identifiers(items));
  let path = [...place.path];
  const body = h("div", { class: "drive-picker" });
  const submit = button("Move here", { class: "primary", id: "move-here" });
  const title = `Move ${items.length === 1 ? named(items[0].name) : plural(items.length, "item")}`;
  const dialog = open({ title, content: body, actions: [submit] });
  const show = async () => {
    const folders = [];
    let position = {};
    while (position) {
      const page = await api.get("list", { path: path.join("/"), root: place.root, ...position });
      folders.push(...page.items.filter(({ kind, id }) => kind === "folder" && !moving.has(id)));
      position = page.next;
    }
    const step = (label, to, symbol) => button(label, {
      class: "quiet", on: { click: () => { path = to; show(); } },
    }, symbol);
    const picked = path.at(-1) ?? (place.root ? "Shared folder" : "Your files");
    replace(body, h("p", { class: "label", id: "picked", text: visible(picked) }),
      path.length ? step("Folder above", path.slice(0, -1), "up") : null,
      folders.map(({ name }) => step(visible(name), [...path, name], "container")));
    body.querySelector("button")?.focus();
  };
  submit.addEventListener("click", () => dialog.close(true));
  await show();
  if (await dialog.closed === true) await move(items, { path }, done);
}

/** Lists the former contents of a file. */
export async function versions([item], done) {
  const { versions: former } = await api.get(`items/${item.id}`);
  const rows = former.map(({ number, size, modified, isConflict, device }) => h("li", { class: "drive-version" },
    h("span", { class: "grow" }, time(modified).slice(0, 16), isConflict ? [" ", badge("conflict", "warn")] : null,
      h("span", { class: "hint", text: [bytes(size), device && named(device)].filter(Boolean).join(", ") })),
    h("a", {
      class: "button small", href: api.address(`items/${item.id}/content`, { version: number }), download: item.name,
      "aria-label": `Download the version of ${time(modified)}`,
    }, icon("download")),
    button("Restore", { class: "small", id: `restore-${number}`, on: { click: async () => {
      await api.post("restore-version", { item: item.id, version: String(number) });
      dialog.close();
      toast("The version was restored. The former content is kept as a version.");
      await done();
    } } })));
  const dialog = open({
    title: `Versions of ${named(item.name)}`,
    content: rows.length ? h("ul", {}, rows) : h("p", { text: "No former versions are kept of this file." }),
  });
  return dialog.closed;
}

/** Uploads, one after the other, with what is done of each and a way to stop it. */

import * as api from "./api.js";
import { askCollision } from "./actions.js";
import { button, progress, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { bytes } from "../core/format.js";

/** Names that are asked about at a time. */
const NAMES = 200;

export class Uploads {
  constructor(whenDone) {
    this.whenDone = whenDone;
    this.element = h("section", { class: "drive-uploads", "aria-label": "Uploads", hidden: true });
    this.pending = 0;
    this.queue = Promise.resolve();
  }

  get isBusy() { return this.pending > 0; }

  /** @param {{file?: File, path: string[]}[]} entries @param {string|null} folder the record name */
  async add(entries, folder) {
    this.pending += 1;
    try {
      const stop = new AbortController();
      await (this.queue = this.queue.then(() => this.run(entries, folder ?? "", stop)));
    } finally {
      this.pending -= 1;
      await this.whenDone();
    }
  }

  async run(entries, top, stop) {
    const folders = new Map([["", top]]);
    try {
      for (const { path } of entries) await this.makeFolders(path, folders);
      const files = entries.filter(({ file }) => file);
      const room = await api.get("room");
      const size = files.reduce((sum, { file }) => sum + file.size, 0);
      if (room.available !== null && size > room.available) {
        throw new Error(
          `There is not enough room: ${bytes(size)} are to be uploaded, ${bytes(room.available)} are left.`);
      }
      const answers = await this.collisions(files, folders);
      for (const entry of files) {
        if (answers.get(entry) === "skip") continue;
        await this.send(entry.file, folders.get(entry.path.join("/")), answers.get(entry) ?? "refuse", stop);
      }
    } catch (error) {
      if (error.name !== "AbortError") toast(error.message, { isProblem: true });
    }
  }

  async makeFolders(path, folders) {
    for (let depth = 1; depth <= path.length; depth += 1) {
      const key = path.slice(0, depth).join("/");
      if (folders.has(key)) continue;
      const parent = folders.get(path.slice(0, depth - 1).join("/"));
      folders.set(key, (await api.post("folder", { name: path[depth - 1], folder: parent, merge: true })).id);
    }
  }

  /** Asks once what happens to files whose names are taken. */
  async collisions(files, folders) {
    const taken = [];
    for (const [key, folder] of folders) {
      const here = files.filter(({ path }) => path.join("/") === key);
      for (let start = 0; start < here.length; start += NAMES) {
        const part = here.slice(start, start + NAMES);
        const answer = await api.post("taken", { folder, names: part.map(({ file }) => file.name) });
        const names = new Set(answer.taken.map(({ name }) => name));
        taken.push(...part.filter(({ file }) => names.has(file.name)));
      }
    }
    if (!taken.length) return new Map();
    const choice = await askCollision(taken.map(({ file }) => file.name));
    return new Map(taken.map((entry) => [entry, choice ?? "skip"]));
  }

  async send(file, folder, ifTaken, stop) {
    const shown = progress(file.name);
    const one = new AbortController();
    stop.signal.addEventListener("abort", () => one.abort());
    const cancel = button("Cancel", {
      class: "small", "aria-label": `Cancel ${file.name}`, on: { click: () => one.abort() },
    });
    const row = h("div", { class: "drive-upload" }, shown.element, cancel);
    this.element.append(row);
    this.element.hidden = false;
    try {
      await api.upload(file, { name: file.name, folder, ifTaken, modified: file.lastModified }, one.signal, (sent) => {
        shown.set(file.size ? sent / file.size : 1, `${file.name}: ${bytes(sent)} of ${bytes(file.size)}`);
      });
    } catch (error) {
      toast(error.name === "AbortError" ? `${file.name} was not uploaded.` : `${file.name}: ${error.message}`,
        { isProblem: error.name !== "AbortError" });
    } finally {
      row.remove();
      this.element.hidden = !this.element.children.length;
    }
  }
}

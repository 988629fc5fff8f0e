/** Uploads, one after another, each with its progress and a button that cancels it. */

import * as api from "./api.js";
import { askCollision } from "./actions.js";
import { button, progress, toast } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { bytes, named } from "../core/format.js";

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
    const target = api.filesOf();
    try {
      const stop = new AbortController();
      await (this.queue = this.queue.then(() => this.run(entries, folder ?? "", target, stop)));
    } finally {
      this.pending -= 1;
      await this.whenDone();
    }
  }

  async run(entries, top, target, stop) {
    const folders = new Map([["", top]]);
    try {
      for (const { path } of entries) await this.makeFolders(path, folders, target);
      const files = entries.filter(({ file }) => file);
      if (!target.owner) await this.checkRoom(files, target);
      const answers = await this.collisions(files, folders, target);
      for (const entry of files) {
        if (answers.get(entry) === "skip") continue;
        await this.send(entry.file, folders.get(entry.path.join("/")), answers.get(entry) ?? "refuse", target,
          stop);
      }
    } catch (error) {
      if (error.name !== "AbortError") toast(error.message, { isProblem: true });
    }
  }

  /** Refuses what does not fit. Only the server knows how much room another person has. */
  async checkRoom(files, target) {
    const { available } = await api.get("room", {}, undefined, target);
    const size = files.reduce((sum, { file }) => sum + file.size, 0);
    if (available === null || size <= available) return;
    throw new Error(`There is not enough room: ${bytes(size)} are to be uploaded, ${bytes(available)} are left.`);
  }

  async makeFolders(path, folders, target) {
    for (let depth = 1; depth <= path.length; depth += 1) {
      const key = path.slice(0, depth).join("/");
      if (folders.has(key)) continue;
      const parent = folders.get(path.slice(0, depth - 1).join("/"));
      const wanted = { name: path[depth - 1], folder: parent, merge: true };
      folders.set(key, (await api.post("folder", wanted, target)).id);
    }
  }

  /** Asks once what happens to files whose names are taken. */
  async collisions(files, folders, target) {
    const taken = [];
    for (const [key, folder] of folders) {
      const here = files.filter(({ path }) => path.join("/") === key);
      for (let start = 0; start < here.length; start += NAMES) {
        const part = here.slice(start, start + NAMES);
        const answer = await api.post("taken", { folder, names: part.map(({ file }) => file.name) }, target);
        const names = new Set(answer.taken.map(({ name }) => name));
        taken.push(...part.filter(({ file }) => names.has(file.name)));
      }
    }
    if (!taken.length) return new Map();
    const choice = await askCollision(taken.map(({ file }) => file.name));
    return new Map(taken.map((entry) => [entry, choice ?? "skip"]));
  }

  async send(file, folder, ifTaken, target, stop) {
    const name = named(file.name);
    const shown = progress(name);
    const one = new AbortController();
    stop.signal.addEventListener("abort", () => one.abort());
    const cancel = button("Cancel", {
      class: "small", "aria-label": `Cancel ${name}`, on: { click: () => one.abort() },
    });
    const row = h("div", { class: "drive-upload" }, shown.element, cancel);
    this.element.append(row);
    this.element.hidden = false;
    try {
      const query = { name: file.name, folder, ifTaken, modified: file.lastModified };
      await api.upload(file, query, one.signal, (sent) => {
        shown.set(file.size ? sent / file.size : 1, `${name}: ${bytes(sent)} of ${bytes(file.size)}`);
      }, target);
    } catch (error) {
      toast(error.name === "AbortError" ? `${name} was not uploaded.` : `${name}: ${error.message}`,
        { isProblem: error.name !== "AbortError" });
    } finally {
      row.remove();
      this.element.hidden = !this.element.children.length;
    }
  }
}

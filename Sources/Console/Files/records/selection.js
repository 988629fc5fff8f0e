/** The records that are selected in the grid, and what can be done with all of them. */

import * as cloud from "../core/cloud.js";
import { button, confirmByName, open, progress, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { Field } from "../core/form.js";
import { number, plural } from "../core/format.js";
import { notice } from "../core/parts.js";
import { state } from "../core/state.js";
import { keepUnsaved, WORK_UNDER_WAY } from "../core/unsaved.js";
import { csv, jsonLines, saveFile } from "./files.js";
import { ValueField } from "./value-field.js";

/** Records that can be selected at a time. */
const SELECTED = 10_000;
/** Refusals that are listed. */
const LISTED = 100;

export class Selection {
  /**
   * @param {{question: object, signal: AbortSignal, changed: function(), done: function()}} parts `changed` is called
   *   when other records are selected, `done` when the selected ones were changed or deleted
   */
  constructor(parts) {
    Object.assign(this, parts);
    this.records = new Map();
  }

  get size() { return this.records.size; }

  clear() { this.records.clear(); }

  /** Takes up the change tag of a record that was saved meanwhile. */
  saved({ recordName, recordChangeTag }) {
    if (this.records.has(recordName)) this.records.set(recordName, { recordName, recordChangeTag });
  }

  /** Selects all records that a query finds, or none. */
  async selectAll(isSelected, query) {
    this.clear();
    let marker;
    try {
      do {
        if (!isSelected) break;
        const page = await cloud.query(this.question.place, query, { marker, desiredKeys: [], signal: this.signal });
        for (const { recordName, recordChangeTag } of page.records) {
          if (this.size < SELECTED) this.records.set(recordName, { recordName, recordChangeTag });
        }
        marker = page.continuationMarker;
      } while (marker && this.size < SELECTED);
      if (marker) toast(`Only the first ${number(SELECTED)} records are selected. That is the maximum.`);
    } catch (error) {
      if (error.name !== "AbortError") toast(error.message, { isProblem: true });
    }
    this.changed();
  }

  /** The buttons for what is selected. */
  buttons({ mayWrite }) {
    return [
      h("span", { text: `${number(this.size)} selected` }),
      button("Export", { class: "small", on: { click: () => this.export() } }, "download"),
      mayWrite ? button("Edit", { class: "small", on: { click: () => this.edit() } }) : null,
      mayWrite ? button("Delete", { class: "small danger-quiet", on: { click: () => this.remove() } }, "remove") : null,
    ];
  }

  // Files.

  async export() {
    const format = new Field({
      label: "Format", name: "format", value: "csv",
      options: [{ value: "csv", label: "CSV" }, { value: "jsonl", label: "JSON lines" }],
    });
    const save = button("Export", { class: "primary" }, "download");
    const dialog = open({ title: `Export ${plural(this.size, "record")}`, content: format.element, actions: [save] });
    save.addEventListener("click", async () => {
      save.classList.add("busy");
      try {
        const records = await cloud.lookupAll(this.question.place, [...this.records.keys()], { signal: this.signal });
        this.write(records, format.value);
        dialog.close();
        const gone = this.size - records.length;
        toast(`${plural(records.length, "record")} exported.${gone ? ` ${number(gone)} no longer exist.` : ""}`);
      } catch (error) {
        if (error.name !== "AbortError") format.say(error.message);
      } finally {
        save.classList.remove("busy");
      }
    });
    format.input.focus();
  }

  write(records, format) {
    const name = `${state.container}-${state.environment}-${this.question.typeName}`;
    if (format === "jsonl") return saveFile(`${name}.jsonl`, jsonLines(records), "application/x-ndjson");
    const known = this.question.type.fields.filter(({ system }) => !system).map((field) => field.name);
    const names = new Set([...known, ...records.flatMap(({ fields }) => Object.keys(fields ?? {}))]);
    return saveFile(`${name}.csv`, csv(records, [...names]), "text/csv");
  }

  // Changes.

  /** Lets a field of all selected records be changed. */
  edit() {
    // Each record needs an upload of its own for an asset.
    const fields = this.question.type.fields.filter(({ system, type }) => !system && !type.includes("ASSET"));
    if (fields.length === 0) return toast("This record type has no field that can be changed here.");
    const place = h("div");
    let value;
    const choice = new Field({
      label: "Field", name: "field", options: fields.map(({ name }) => ({ value: name, label: name })),
      value: fields[0].name,
    });
    const draw = () => {
      const context = { place: this.question.place, recordType: this.question.typeName, signal: this.signal };
      value = new ValueField(fields.find(({ name }) => name === choice.value), undefined, context);
      replace(place, value.element);
    };
    choice.input.addEventListener("change", draw);
    draw();
    const save = button(`Change ${plural(this.size, "record")}`, { class: "primary" });
    const dialog = open({
      title: "Edit selected records", actions: [save],
      content: [
        choice.element, place,
        h("p", { class: "hint", text: "Without a value, the field is removed from the records. "
          + "A record that somebody has changed since you saw it stays as it is." }),
      ],
    });
    save.addEventListener("click", async () => {
      let wire;
      try {
        wire = value.wire();
      } catch {
        return;
      }
      dialog.close();
      await this.carryOut("Changing records", "changed", [...this.records.values()].map((record) => ({
        operationType: "update",
        record: { ...record, recordType: this.question.typeName, fields: { [choice.value]: wire } },
      })));
    });
    choice.input.focus();
    return undefined;
  }

  async remove() {
    const records = [...this.records.values()];
    const isSure = await confirmByName({
      title: `Delete ${plural(records.length, "record")}?`,
      text: "This cannot be undone. A record that somebody has changed since you saw it is not deleted.",
      name: records.length === 1 ? records[0].recordName : `delete ${records.length}`,
      action: "Delete",
      perform: async () => {},
    });
    if (!isSure) return;
    await this.carryOut("Deleting records", "deleted", records.map(({ recordName, recordChangeTag }) =>
      ({ operationType: "delete", record: { recordName, recordChangeTag } })));
  }

  /** Sends operations while a dialog shows how far they are and lets them be cancelled; then says what was refused. */
  async carryOut(title, done, operations) {
    let isCancelled = false;
    let count = 0;
    const bar = progress(`0 of ${number(operations.length)}`);
    bar.set(0);
    const cancel = button("Cancel");
    cancel.addEventListener("click", () => {
      isCancelled = true;
      cancel.disabled = true;
    });
    const working = new AbortController();
    keepUnsaved(() => !working.signal.aborted, "", working.signal, WORK_UNDER_WAY);
    const dialog = open({ title, content: bar.element, actions: [cancel], mayClose: () => false });
    let failures = [];
    let problem = null;
    try {
      failures = await cloud.modifyAll(this.question.place, operations, {
        isCancelled: () => isCancelled || this.signal.aborted,
        tell: (sent) => {
          count = sent;
          bar.set(sent / operations.length, `${number(sent)} of ${number(operations.length)}`);
        },
      });
    } catch (error) {
      problem = error;
    }
    working.abort();
    dialog.close();
    if (this.signal.aborted) return;
    this.report({ done, failures, problem, count, total: operations.length });
    this.done();
  }

  report({ done, failures, problem, count, total }) {
    const words = `${plural(count - failures.length, "record")} ${done}.`;
    const rest = total - count;
    if (!failures.length && !problem && !rest) return toast(words);
    const close = button("Close", { class: "primary" });
    const dialog = open({
      title: "Not all records were " + done,
      actions: [close],
      content: [
        h("p", { text: words + (rest ? ` ${plural(rest, "record")} not processed.` : "") }),
        problem ? notice(problem.message, { kind: "problem" }) : null,
        failures.length ? h("ul", { class: "refusals" }, failures.slice(0, LISTED).map((failed) =>
          h("li", {}, h("code", { text: failed.recordName ?? "" }), ` ${cloud.refusalOf(failed)}`))) : null,
        failures.length > LISTED
          ? h("p", { class: "hint", text: `… and ${number(failures.length - LISTED)} more.` }) : null,
      ].filter(Boolean),
    });
    close.addEventListener("click", () => dialog.close());
    close.focus();
    return undefined;
  }
}

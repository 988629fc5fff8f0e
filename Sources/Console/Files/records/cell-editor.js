/** The editor of one value in the grid, over its cell. It saves the field alone, and only if nobody else has changed
 * the record since it was read. */

import * as cloud from "../core/cloud.js";
import { button, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { summary } from "./columns.js";
import { scalar } from "./values.js";

/** Types of values that fit into a line. */
const TYPES = ["STRING", "INT64", "DOUBLE", "TIMESTAMP"];
/** Characters of a text that is edited in a line. */
const LONGEST = 2_000;
/** The least width, in pixels. */
const WIDTHS = { TIMESTAMP: 300 };

/** Whether a record's field is edited in the grid. What is not is edited in the drawer. */
export function fitsInCell(field, record) {
  if (!field || field.encrypted || !TYPES.includes(field.type)) return false;
  const stored = record.fields?.[field.name];
  if (stored && (stored.isEncrypted || stored.type === "ENCRYPTED_BYTES")) return false;
  const text = String(stored?.value ?? "");
  return field.type !== "STRING" || (!/[\r\n]/.test(text) && text.length <= LONGEST);
}

export class CellEditor {
  /**
   * @param {{record: object, field: object, place: object, signal: AbortSignal, saved: function(object),
   *   closed: function(CellEditor)}} parts `saved` is given the record as it is then; `closed` is called at the end
   */
  constructor(parts) {
    Object.assign(this, parts);
    const { field, record } = this;
    this.value = scalar(field.type, { label: `${field.name} of ${record.recordName}`, isPlain: true });
    this.value.write(record.fields?.[field.name]?.value ?? null);
    this.original = this.signature();
    this.problem = h("div", { class: "cell-problem", role: "alert", hidden: true });
    this.element = h("div", {
      class: "cell-editor", role: "group", "aria-label": `Edit ${field.name}`,
      on: { keydown: (event) => this.key(event), focusout: (event) => this.left(event) },
    }, this.value.element, this.problem);
  }

  get width() { return this.problem.hidden ? WIDTHS[this.field.type] ?? 200 : 340; }

  get isChanged() { return !this.isOver && this.signature() !== this.original; }

  signature() {
    try {
      return JSON.stringify(this.value.read());
    } catch {
      return "invalid";
    }
  }

  focus() {
    this.value.focus();
    this.element.querySelector("input").select?.();
  }

  key(event) {
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && event.target.tagName === "INPUT") this.commit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  left(event) {
    if (this.isOver || this.element.contains(event.relatedTarget) || !document.hasFocus()) return;
    this.leaving = this.commit();
  }

  async commit(record = this.record) {
    if (this.isBusy || this.isOver) return;
    if (!this.isChanged) {
      this.close();
      return;
    }
    let value;
    try {
      value = this.value.read();
    } catch (error) {
      this.say(error.message);
      return;
    }
    this.isBusy = true;
    this.element.classList.add("busy");
    const { field, place, signal } = this;
    const { recordName, recordType, recordChangeTag } = record;
    const fields = { [field.name]: { value, type: field.type } };
    try {
      await cloud.save(place, "update", { recordName, recordType, recordChangeTag, fields });
      this.finish(await cloud.lookup(place, recordName, { signal }));
    } catch (error) {
      if (error.code === "CONFLICT") await this.showConflict();
      else if (error.name !== "AbortError") this.say(error.message);
    } finally {
      this.isBusy = false;
      this.element.classList.remove("busy");
    }
  }

  /** Shows what somebody else has saved, and lets the developer choose. */
  async showConflict() {
    const { field, place, signal } = this;
    try {
      const current = await cloud.lookup(place, this.record.recordName, { signal });
      const theirs = current.fields?.[field.name];
      const shown = theirs ? `“${summary(theirs.value, theirs.type)}”` : "empty";
      this.say(`Somebody has changed this record. ${field.name} is now ${shown}.`, [
        button("Save mine", { class: "small", on: { click: () => this.commit(current) } }),
        button("Keep theirs", { class: "small", on: { click: () => this.finish(current) } }),
      ]);
    } catch (error) {
      if (error.name !== "AbortError") this.say(error.message);
    }
  }

  say(problem, actions = []) {
    // The grid was left meanwhile.
    if (!this.element.isConnected) {
      toast(`${this.field.name} was not saved. ${problem}`, { isProblem: true });
      return;
    }
    this.problem.hidden = false;
    const words = h("div", {}, h("p", { text: problem }), h("div", { class: "row" }, actions));
    replace(this.problem, icon("warning"), words);
    this.resized?.();
    (this.problem.querySelector("button") ?? this.element.querySelector("input")).focus();
  }

  finish(record) {
    this.saved(record);
    this.close();
  }

  close() {
    if (this.isOver) return;
    this.isOver = true;
    this.element.remove();
    this.closed(this);
  }
}

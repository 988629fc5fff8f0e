/** The record that is open beside the grid, and its place in the browser's history: opening one and following a
 * reference are steps that the way back undoes. */

import { depth, goBack, note } from "../core/router.js";
import { keyOf } from "./address.js";
import { openRecord } from "./editor.js";

export class Opened {
  /**
   * @param {{question: object, signal: AbortSignal, isReadOnly: function(object): boolean, changed: function()}} parts
   *   `changed` is called after a record was saved or deleted
   */
  constructor(parts) {
    Object.assign(this, parts);
    this.name = null;
  }

  /** Opens the record that the address named when the view was shown. */
  start(recordName) {
    if (!recordName) return;
    // After a reload, the entry of the grid is behind this one already.
    if (depth() > 0) this.show(recordName);
    else this.open(recordName);
  }

  /** Opens a record, as a step in the browser's history. */
  open(recordName, fieldName) {
    if (recordName === this.name) return;
    note({ ...this.question.notedParameters, record: recordName }, { pushes: true, depth: depth() + 1 });
    this.replaceWith(recordName, fieldName);
  }

  /** Takes up the record of an address that the browser went to; false if the address asks for another query. */
  adopt(query) {
    if (keyOf(query) !== this.question.key) return false;
    const recordName = query.get("record");
    if (recordName !== this.name) this.replaceWith(recordName);
    return true;
  }

  replaceWith(recordName, fieldName) {
    this.name = null;
    this.drawer?.close();
    if (recordName) this.show(recordName, fieldName);
  }

  async show(recordName, fieldName) {
    this.name = recordName;
    const { question, signal } = this;
    const drawer = openRecord({
      place: question.place, schema: question.schema, recordName, fieldName, signal,
      isReadOnly: this.isReadOnly,
      follow: (target) => this.open(target),
      back: depth() > 1 ? () => goBack(1) : null,
    });
    this.drawer = drawer.dialog;
    const hasChanged = await drawer.closed;
    if (signal.aborted) return;
    if (this.name === recordName) {
      this.name = null;
      if (depth() > 0) await goBack(depth());
      else note(question.notedParameters);
    }
    if (hasChanged) this.changed();
  }
}

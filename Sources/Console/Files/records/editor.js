/** The drawer in which a record is viewed, edited, created and deleted. */

import * as cloud from "../core/cloud.js";
import { button, confirmByName, open, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { Field } from "../core/form.js";
import { time } from "../core/format.js";
import { icon } from "../core/icons.js";
import { failure, waiting } from "../core/parts.js";
import { keepUnsaved } from "../core/unsaved.js";
import { showJSON } from "./record-json.js";
import { ValueField } from "./value-field.js";

/**
 * Opens a record, or a new one.
 * @param {{place: object, schema: object, type?: object, recordName?: string, fieldName?: string,
 *   isReadOnly: function(object): boolean, signal: AbortSignal, follow: function(string), back?: function()}} parts
 *   `type` is a new record's; `fieldName` gets the focus; `follow` opens another record instead; `back` returns to the
 *   record that this one was followed from
 * @returns {{dialog: object, closed: Promise<boolean>}} `closed` says whether anything was changed
 */
export function openRecord(parts) {
  const drawer = new RecordDrawer(parts);
  drawer.load();
  return { dialog: drawer.dialog, closed: drawer.dialog.closed.then(() => drawer.hasChanged) };
}

class RecordDrawer {
  constructor(parts) {
    Object.assign(this, parts);
    this.hasChanged = false;
    this.editor = null;
    const closed = new AbortController();
    this.mayClose = keepUnsaved(() => this.editor?.isChanged, "this record", closed.signal);
    this.body = h("div", {}, waiting(8));
    this.foot = h("div", { class: "row record-foot" });
    this.dialog = open({
      title: this.recordName ?? `New ${this.type.name}`, kind: "drawer", content: this.body, actions: [this.foot],
      mayClose: this.mayClose, onClose: () => closed.abort(),
    });
  }

  async load() {
    try {
      const { recordName, signal } = this;
      this.show(recordName ? await cloud.lookup(this.place, recordName, { signal }) : null);
    } catch (error) {
      if (error.name === "AbortError") return;
      replace(this.body, failure(error, () => this.load()));
      replace(this.foot, this.backButton());
    }
  }

  backButton() {
    return this.back ? button("Back", { class: "quiet", on: { click: this.back } }) : null;
  }

  show(record) {
    this.record = record;
    if (record) {
      this.type = this.schema.types.find(({ name }) => name === record.recordType)
        ?? { name: record.recordType, fields: [] };
    }
    const isReadOnly = this.isReadOnly(this.type);
    const { place, type, signal } = this;
    this.editor = new RecordEditor({ place, type, record, isReadOnly, signal, follow: (name) => this.leaveFor(name) });
    replace(this.body, this.editor.element);
    this.editor.element.addEventListener("saved", ({ detail }) => this.finish(detail));
    this.save = button(record ? "Save" : "Create", { class: "primary", on: { click: () => this.store() } });
    replace(
      this.foot,
      this.backButton(),
      record ? button("JSON", { class: "quiet", on: { click: () => showJSON(record) } }) : null,
      h("span", { class: "spacer" }),
      isReadOnly ? h("span", { class: "hint", text: "You can read this record, but not change it." }) : [
        record ? button("Delete", { class: "danger-quiet", on: { click: () => this.destroy() } }, "remove") : null,
        this.save,
      ],
    );
    if (!record) this.editor.first.focus();
    else if (this.fieldName) this.editor.focus(this.fieldName);
  }

  /** Goes to a record that this one refers to. */
  async leaveFor(recordName) {
    if (recordName === this.recordName) return toast("This record refers to itself.");
    if (await this.mayClose()) this.follow(recordName);
    return undefined;
  }

  async store() {
    this.save.classList.add("busy");
    try {
      const saved = await this.editor.save();
      if (saved) this.finish(saved);
    } finally {
      this.save.classList.remove("busy");
    }
  }

  finish(saved) {
    this.hasChanged = true;
    toast(this.record ? "Saved." : `Created ${saved.recordName}.`);
    this.dialog.close();
  }

  async destroy() {
    const isGone = await confirmByName({
      title: "Delete this record?",
      text: "Records that are set to be deleted with it are deleted too.",
      name: this.record.recordName,
      action: "Delete",
      perform: async () => {
        const [failed] = await cloud.removeAll(this.place, [this.record]);
        if (failed) throw new Error(failed.reason);
      },
    });
    if (!isGone) return;
    this.hasChanged = true;
    this.editor = null;
    toast("The record was deleted.");
    this.dialog.close();
  }
}

class RecordEditor {
  constructor({ place, type, record, isReadOnly, signal, follow }) {
    Object.assign(this, { place, type, record });
    this.problem = h("div", { class: "form-problem", role: "alert" });
    this.nameField = record ? null : new Field({
      label: "Record name",
      name: "recordName",
      isCode: true,
      isOptional: true,
      autocomplete: "off",
      hint: "Leave it empty to let the server choose one.",
    });
    const context = {
      place,
      recordType: type.name,
      isReadOnly,
      signal,
      follow,
      recordName: () => record?.recordName ?? (this.nameField?.value.trim() || undefined),
    };
    const known = type.fields.filter((field) => !field.system);
    // Fields that the record has and the schema lacks are shown as they are.
    const others = Object.entries(record?.fields ?? {}).filter(([name]) => !known.some((field) => field.name === name))
      .map(([name, value]) => ({
        name,
        type: String(value.type).replace(/^(\w+)_LIST$/, "LIST<$1>").replace("ASSETID", "ASSET"),
      }));
    this.fields = [...known, ...others].map((field) => new ValueField(field, record?.fields?.[field.name], context));
    this.element = h("form", {
      novalidate: true,
      on: { submit: (event) => event.preventDefault() },
    }, record ? facts(record) : this.nameField.element,
      this.fields.length ? this.fields.map((field) => field.element) : h("p", {
        class: "hint",
        text: "This record type has no fields yet.",
      }), this.problem);
  }

  get first() { return this.nameField?.input ?? this.element; }

  get isChanged() { return this.fields.some((field) => field.isChanged) || Boolean(this.nameField?.value); }

  focus(fieldName) { this.fields.find(({ name }) => name === fieldName)?.focus(); }

  /** Says what is wrong, and shows it unless it was said beside a field that is in sight. */
  say(problem, actions = [], { isInSight = false } = {}) {
    replace(
      this.problem,
      problem ? [icon("warning"), h("div", {}, h("p", { text: problem }), h("div", { class: "row" }, actions))] : [],
    );
    if (problem && !isInSight) this.problem.scrollIntoView({ block: "nearest" });
  }

  /** @returns {Promise<object?>} the saved record; null if something is wrong, which is said in the form */
  async save(operation) {
    this.say("");
    const fields = {};
    try {
      for (const field of this.fields) {
        if (this.record ? field.isChanged : field.editor) fields[field.name] = field.wire();
      }
    } catch (error) {
      this.say(error.message, [], { isInSight: error.isSaid });
      return null;
    }
    const record = { recordType: this.type.name, fields };
    if (this.record) Object.assign(record, {
      recordName: this.record.recordName,
      recordChangeTag: this.record.recordChangeTag,
    });
    else if (this.nameField.value.trim()) record.recordName = this.nameField.value.trim();
    try {
      return await cloud.save(this.place, operation ?? (this.record ? "update" : "create"), record);
    } catch (error) {
      this.explain(error);
      return null;
    }
  }

  explain(error) {
    if (error.code === "CONFLICT" && this.record) {
      const over = button("Overwrite", { on: { click: async () => {
        const saved = await this.save("forceUpdate");
        if (saved) this.element.dispatchEvent(new CustomEvent("saved", { detail: saved }));
      } } });
      this.say("Somebody has changed this record since you opened it.", [over]);
      return;
    }
    // The server names the field that is wrong, in quotation marks.
    const named = this.fields.find((field) => error.field === field.name || error.message.includes(`'${field.name}'`));
    if (named) {
      named.say(error.message);
      named.element.scrollIntoView({ block: "nearest" });
    }
    this.say(error.message, [], { isInSight: Boolean(named) });
  }
}

function facts(record) {
  const moment = (change) => (change
    ? `${time(change.timestamp, { withMilliseconds: true })} by ${change.userRecordName}` : null);
  const rows = [
    ["Record type", record.recordType], ["Record name", record.recordName], ["Change tag", record.recordChangeTag],
    ["Created", moment(record.created)], ["Modified", moment(record.modified)],
    ["Zone", record.zoneID?.zoneName], ["Parent", record.parent?.recordName], ["Share", record.share?.recordName],
  ].filter(([, value]) => value);
  return h(
    "dl",
    { class: "record-facts" },
    rows.map(([name, value]) => [h("dt", { text: name }), h("dd", { text: value })]),
  );
}

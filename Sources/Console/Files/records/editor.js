/** A record in a drawer beside the grid: looked at, changed, made, deleted. */

import * as cloud from "../core/cloud.js";
import { button, confirmByName, open, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { Field } from "../core/form.js";
import { time } from "../core/format.js";
import { icon } from "../core/icons.js";
import { failure, waiting } from "../core/parts.js";
import { keepUnsaved } from "../core/unsaved.js";
import { ValueField } from "./value-field.js";

/**
 * Opens a record, or a new one.
 * @param {{place: object, type: object, recordName?: string, isReadOnly: boolean, signal: AbortSignal}} parts
 * @returns {Promise<boolean>} whether anything was changed
 */
export async function openRecord({ place, type, recordName, isReadOnly, signal }) {
  let hasChanged = false;
  let editor = null;
  const closed = new AbortController();
  const mayClose = keepUnsaved(() => editor?.isChanged, "this record", closed.signal);
  const body = h("div", {}, waiting(8));
  const foot = h("div", { class: "row" });
  const dialog = open({
    title: recordName ?? `New ${type.name}`, kind: "drawer", content: body, actions: [foot], mayClose,
    onClose: () => closed.abort(),
  });

  const show = async (record) => {
    editor = new RecordEditor({ place, type, record, isReadOnly, signal });
    replace(body, editor.element);
    editor.element.addEventListener("saved", ({ detail }) => finish(detail));
    const save = button(record ? "Save" : "Create", { class: "primary", on: { click: store } });
    const remove = record ? button("Delete", { class: "danger-quiet", on: { click: destroy } }, "remove") : null;
    replace(
      foot,
      isReadOnly ? h("span", {
        class: "hint",
        text: "You may look at this record, but not change it.",
      }) : [remove, save],
    );
    if (!record) editor.first.focus();

    async function store() {
      save.classList.add("busy");
      try {
        const saved = await editor.save();
        if (saved) finish(saved);
      } finally {
        save.classList.remove("busy");
      }
    }

    function finish(saved) {
      hasChanged = true;
      toast(record ? "Saved." : `${saved.recordName} is there.`);
      dialog.close(true);
    }

    async function destroy() {
      const isGone = await confirmByName({
        title: "Delete this record?",
        text: "Records that refer to it with “delete with that one” go as well.",
        name: record.recordName,
        action: "Delete",
        perform: async () => {
          const [failed] = await cloud.removeAll(place, [record]);
          if (failed) throw new Error(failed.reason);
        },
      });
      if (!isGone) return;
      hasChanged = true;
      editor = null;
      toast("Deleted.");
      dialog.close(true);
    }
  };

  const load = async () => {
    try {
      await show(recordName ? await cloud.lookup(place, recordName, { signal }) : null);
    } catch (error) {
      if (error.name !== "AbortError") replace(body, failure(error, load));
    }
  };
  await load();
  await dialog.closed;
  return hasChanged;
}

class RecordEditor {
  constructor({ place, type, record, isReadOnly, signal }) {
    Object.assign(this, { place, type, record });
    this.problem = h("div", { class: "form-problem", role: "alert" });
    this.nameField = record ? null : new Field({
      label: "Record name",
      name: "recordName",
      isCode: true,
      isOptional: true,
      autocomplete: "off",
      hint: "Left empty, the server makes one.",
    });
    const context = {
      place,
      recordType: type.name,
      isReadOnly,
      signal,
      recordName: () => record?.recordName ?? (this.nameField?.value.trim() || undefined),
    };
    const known = type.fields.filter((field) => !field.system);
    // What the record has and the schema does not tell: shown as it is.
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
      const over = button("Save over it", { on: { click: async () => {
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
  const rows = [
    ["Record name", record.recordName], ["Change tag", record.recordChangeTag],
    [
      "Created",
      record.created
        ? `${time(record.created.timestamp, { withMilliseconds: true })} by ${record.created.userRecordName}` : null,
    ],
    [
      "Modified",
      record.modified
        ? `${time(record.modified.timestamp, { withMilliseconds: true })} by ${record.modified.userRecordName}` : null,
    ],
    ["Zone", record.zoneID?.zoneName], ["Parent", record.parent?.recordName], ["Share", record.share?.recordName],
  ].filter(([, value]) => value);
  return h(
    "dl",
    { class: "record-facts" },
    rows.map(([name, value]) => [h("dt", { text: name }), h("dd", { text: value })]),
  );
}

/** A field of a record: its name and type, whether it has a value, and the editor of it, of one value or of a list. */

import { h, identifier, replace } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { badge, rowButton } from "../core/parts.js";
import { elementType, isList } from "../core/schema.js";
import { scalar } from "./values.js";

const WIRE = { ASSET: "ASSETID" };

export class ValueField {
  /**
   * @param {object} field of the schema
   * @param {object?} stored the field of the record, as the web services gave it
   * @param {object} context where the record is, for references and assets
   */
  constructor(field, stored, context) {
    Object.assign(this, { field, stored, name: field.name });
    const id = identifier("value");
    this.context = { ...context, label: field.name, fieldName: field.name, describedBy: `${id}-error` };
    this.isSealed = stored?.type === "ENCRYPTED_BYTES" && !field.type.endsWith("BYTES");
    this.isReadOnly = context.isReadOnly || this.isSealed;
    this.body = h("div");
    this.error = h("div", { class: "field-error", id: `${id}-error`, "aria-live": "polite" });
    this.toggle = h("button", {
      type: "button",
      class: "button small",
      on: { click: () => this.setPresent(!this.editor) },
    });
    this.element = h("fieldset", { class: "value-field", "aria-label": field.name },
      h("div", { class: "value-head" }, h("span", {
        class: "label",
        text: field.name,
      }), h("span", { class: "type", text: field.type }),
        field.encrypted ? badge("encrypted", "tint") : null, this.isReadOnly ? null : this.toggle),
      this.body, this.error);
    this.setPresent(stored !== undefined && stored !== null, stored?.value);
    this.original = this.signature();
  }

  setPresent(isPresent, value) {
    this.say("");
    this.toggle.textContent = isPresent ? "Remove value" : "Set value";
    this.toggle.setAttribute("aria-label", `${isPresent ? "Remove the value of" : "Set a value for"} ${this.name}`);
    if (this.isSealed) {
      this.editor = null;
      replace(
        this.body,
        h("p", { class: "hint row" }, icon("lock"), "Encrypted on a device. Only its owner's devices can read it."),
      );
    } else if (!isPresent) {
      this.editor = null;
      replace(this.body, h("p", { class: "hint", text: "No value" }));
    } else {
      this.editor = isList(this.field.type) ? new ListEditor(
        elementType(this.field.type),
        this.context,
      ) : scalar(this.field.type, this.context);
      this.editor.write(value ?? null);
      replace(this.body, this.editor.element);
      if (this.isReadOnly) for (const control of this.body.querySelectorAll(
        "input, textarea, select",
      )) control.disabled = true;
      if (value === undefined) this.editor.focus();
    }
  }

  /** The value as the web services take it; null for none. */
  read() { return this.editor ? this.editor.read() : null; }

  signature() {
    try {
      return JSON.stringify(this.read());
    } catch {
      return "invalid";
    }
  }

  get isChanged() { return !this.isReadOnly && this.signature() !== this.original; }

  /** The field as it is saved. Shows what is wrong, and throws. */
  wire() {
    this.say("");
    try {
      const value = this.read();
      const base = elementType(this.field.type);
      const type = isList(this.field.type) ? `${WIRE[base] ?? base}_LIST` : WIRE[base] ?? base;
      const wire = { value, type };
      if (this.field.encrypted) {
        wire.isEncrypted = true;
        if (type === "BYTES") wire.type = "ENCRYPTED_BYTES";
      }
      return wire;
    } catch (error) {
      this.say(error.message);
      this.editor.focus();
      this.element.scrollIntoView({ block: "nearest" });
      throw Object.assign(new Error(`${this.name}: ${error.message}`), { isSaid: true });
    }
  }

  focus() {
    this.element.scrollIntoView({ block: "nearest" });
    if (this.editor && !this.isReadOnly) this.editor.focus();
    else this.toggle.focus();
  }

  say(problem) { replace(this.error, problem ? [icon("warning"), h("span", { text: problem })] : []); }
}

class ListEditor {
  constructor(type, context) {
    Object.assign(this, { type, context });
    this.items = [];
    this.place = h("div", { class: "list-items", role: "list" });
    const add = h(
      "button",
      { type: "button", class: "button small", on: { click: () => this.add(undefined, true) } },
      icon("add"),
      h("span", { text: "Add item" }),
    );
    this.element = h("div", { class: "stack-small" }, this.place, context.isReadOnly ? null : add);
    this.addButton = add;
  }

  add(value, isNew = false) {
    const editor = scalar(this.type, {
      ...this.context,
      label: `${this.context.label}, item ${this.items.length + 1}`,
    });
    if (value !== undefined) editor.write(value);
    const item = { editor };
    item.element = h("div", {
      class: "list-item",
      role: "listitem",
    }, editor.element, this.context.isReadOnly ? null : h("div", { class: "moves" },
      rowButton("Move up", "up", () => this.move(item, -1), "quiet small"),
      rowButton("Move down", "down", () => this.move(item, 1), "quiet small"),
      rowButton("Remove item", "close", () => this.remove(item), "quiet small")));
    this.items.push(item);
    this.place.append(item.element);
    if (isNew) editor.focus();
  }

  move(item, step) {
    const from = this.items.indexOf(item);
    const to = from + step;
    if (to < 0 || to >= this.items.length) return;
    this.items.splice(from, 1);
    this.items.splice(to, 0, item);
    this.place.replaceChildren(...this.items.map(({ element }) => element));
    item.element.querySelectorAll(".moves button")[step < 0 ? 0 : 1].focus();
  }

  remove(item) {
    this.items.splice(this.items.indexOf(item), 1);
    item.element.remove();
    this.addButton.focus();
  }

  write(values) { for (const value of values ?? []) this.add(value); }

  read() {
    return this.items.map(({ editor }, index) => {
      const value = editor.read();
      if (value === null || value === undefined) throw new Error(`Item ${index + 1} has no value.`);
      return value;
    });
  }

  focus() { (this.items[0]?.editor ?? this.addButton).focus(); }
}

/** The fields of a record type as a table. */

import { button, open } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { checkbox, Field, Form } from "../core/form.js";
import { badge, rowButton, table } from "../core/parts.js";
import { canBeEncrypted, FIELD_TYPES, indexesFor, SYSTEM_FIELDS } from "../core/schema.js";

const INDEXES = [
  ["queryable", "Queryable", "equality, membership"],
  ["sortable", "Sortable", "ranges, order"],
  ["searchable", "Searchable", "words in texts"],
];
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,254}$/;

const tick = (label, isChecked, isEnabled, act) =>
  h("input", {
    type: "checkbox",
    "aria-label": label,
    checked: isChecked,
    disabled: !isEnabled,
    on: { change: (event) => act(event.target.checked) },
  });

const indexColumns = INDEXES.map(([, name]) => ({ name, class: "tick" }));

function indexCells(field, { isEditable, changed }) {
  const possible = indexesFor(field.type, field.encrypted);
  return INDEXES.map(([key, name]) => possible.includes(key)
    ? tick(`${field.name}: ${name}`, field[key], isEditable, (isSet) => { field[key] = isSet; changed(); })
    : h("span", { class: "soft", "aria-label": `${name}: not for this type`, role: "img" }, "·"));
}

export function fieldTable(type, { isEditable, changed, redraw }) {
  const frame = table({
    label: `Fields of ${type.name}`,
    columns: [
      { name: "Field", class: "main" },
      { name: "Type" },
      ...indexColumns,
      ...(isEditable ? [{ name: "Actions", isHidden: true, class: "actions" }] : [])
    ],
    rows: type.fields.filter((field) => !field.system).map((field) => [
      h("span", { class: "row" }, h("code", { text: field.name }), field.encrypted ? badge("encrypted", "tint") : null),
      isEditable ? typeChoice(field, { changed, redraw }) : h("code", { text: field.type }),
      ...indexCells(field, { isEditable, changed }),
      ...(isEditable ? [rowButton(`Delete ${field.name}`, "remove", () => {
        type.fields.splice(type.fields.indexOf(field), 1);
        redraw();
      })] : []),
    ]),
  });
  frame.classList.add("field-table");
  return frame;
}

function typeChoice(field, { redraw }) {
  const choice = h("select", { class: "input", "aria-label": `Type of ${field.name}`, on: { change: () => {
    field.type = choice.value;
    if (!canBeEncrypted(field.type)) field.encrypted = false;
    const possible = indexesFor(field.type, field.encrypted);
    for (const [key] of INDEXES) field[key] = field[key] && possible.includes(key);
    redraw();
  } } }, FIELD_TYPES.map((value) => h("option", { value, text: value })));
  choice.value = field.type;
  return choice;
}

export function systemTable(type, { isEditable, changed }) {
  const shown = Object.entries(SYSTEM_FIELDS).filter(([name]) => name !== "___etag");
  const fields = shown.map(([name, { type: valueType }]) => {
    let field = type.fields.find((candidate) => candidate.name === name);
    if (!field) {
      field = { name, type: valueType, system: true, queryable: false, sortable: false, searchable: false };
      type.fields.push(field);
    }
    return field;
  });
  const frame = table({
    label: `System fields of ${type.name}`,
    columns: [
      { name: "Field", class: "main" },
      { name: "Type" },
      { name: "Queryable", class: "tick" },
      { name: "Sortable", class: "tick" },
    ],
    rows: fields.map((field) => [
      h("span", {}, SYSTEM_FIELDS[field.name].label, " ", h("code", { class: "soft", text: field.name })),
      h("code", { text: field.type }),
      ...indexCells(field, { isEditable, changed }).slice(0, 2)]),
  });
  frame.classList.add("field-table");
  return frame;
}

/** Asks for a new field. */
export function newField(type, done) {
  const name = new Field({ label: "Name", name: "name", isCode: true, required: true, autocomplete: "off" });
  const valueType = new Field({
    label: "Type",
    name: "type",
    options: FIELD_TYPES.map((value) => ({ value, label: value })),
    value: "STRING",
  });
  const encrypted = checkbox("Encrypted", {
    hint: "Devices encrypt the value, and the server cannot read it. An encrypted field has no index. "
      + "This cannot be changed later.",
  });
  const indexes = INDEXES.map(([key, label, hint]) => ({
    key,
    ...checkbox(label, { hint, isChecked: key === "queryable" })
  }));
  const allow = () => {
    encrypted.input.disabled = !canBeEncrypted(valueType.value);
    const possible = indexesFor(valueType.value, encrypted.input.checked && !encrypted.input.disabled);
    for (const index of indexes) index.input.disabled = !possible.includes(index.key);
  };
  valueType.input.addEventListener("change", allow);
  encrypted.input.addEventListener("change", allow);
  allow();
  const form = new Form({
    fields: [name, valueType],
    content: [
      name.element,
      valueType.element,
      h(
        "fieldset",
        { class: "stack-small" },
        h("legend", { class: "label", text: "Indexes" }),
        indexes.map(({ element }) => element),
      ),
      encrypted.element,
    ],
    actions: [button("Add field", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const wanted = values.name.trim();
      if (!NAME.test(wanted)) throw Object.assign(
        new Error("Start with a letter. Use only letters, digits and underscores."),
        { field: "name" },
      );
      if (type.fields.some((field) => field.name === wanted)) throw Object.assign(
        new Error("A field of this name already exists."),
        { field: "name" },
      );
      const field = {
        name: wanted,
        type: values.type,
        system: false,
        encrypted: encrypted.input.checked && !encrypted.input.disabled,
      };
      for (const { key, input } of indexes) field[key] = input.checked && !input.disabled;
      type.fields.push(field);
      dialog.close();
      done();
    },
  });
  const dialog = open({ title: `New field of ${type.name}`, content: form.element });
  name.input.focus();
}


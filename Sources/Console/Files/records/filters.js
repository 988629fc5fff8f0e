/** The conditions of a query, as rows of field, comparison and value. Only what the indexes allow is offered. */

import { button } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { elementType, isList, SYSTEM_FIELDS } from "../core/schema.js";
import { rowButton } from "../core/parts.js";
import { scalar } from "./values.js";

const EQUAL = [["EQUALS", "is"], ["NOT_EQUALS", "is not"]];
const ORDER = [
  ["LESS_THAN", "is less than"],
  ["LESS_THAN_OR_EQUALS", "is at most"],
  ["GREATER_THAN", "is greater than"],
  ["GREATER_THAN_OR_EQUALS", "is at least"],
];
const PREFIX = [["BEGINS_WITH", "begins with"], ["NOT_BEGINS_WITH", "does not begin with"]];
const WORDS = [["CONTAINS_ALL_TOKENS", "has all words"], ["CONTAINS_ANY_TOKENS", "has any word"]];
const LISTS = [["LIST_CONTAINS", "contains"], ["NOT_LIST_CONTAINS", "does not contain"]];
const NEAR = [["NEAR", "is within"]];

/** The comparisons that a field's indexes allow. */
export function comparators(field) {
  const choices = [];
  if (isList(field.type)) {
    if (field.queryable) choices.push(...LISTS);
    if (field.queryable && field.type === "LIST<STRING>") choices.push([
      "LIST_MEMBER_BEGINS_WITH",
      "has one that begins with",
    ]);
    return choices;
  }
  if (field.type === "LOCATION") return field.queryable ? NEAR : [];
  if (field.queryable) choices.push(...EQUAL);
  if (field.sortable) choices.push(...ORDER);
  if (field.type === "STRING" && !field.system && (field.queryable || field.sortable)) choices.push(...PREFIX);
  if (field.searchable) choices.push(...WORDS);
  return choices;
}

/** The fields of a type that can be filtered by. */
export function askable(type) {
  return (type?.fields ?? []).filter((field) =>
    !field.encrypted && field.name !== "___etag" && comparators(field).length > 0);
}

export class Filters {
  /** @param {{type: object, context: object, changed: function()}} parts */
  constructor({ type, context, changed }) {
    Object.assign(this, { type, context, changed });
    this.items = [];
    this.element = h("div", { class: "filters" });
  }

  get fields() { return askable(this.type); }

  add() {
    const [field] = this.fields.filter((candidate) => !candidate.system).concat(this.fields);
    if (field) this.append(field).element.querySelector("select").focus();
  }

  append(field, comparator) {
    const item = { field };
    item.element = h("div", { class: "filter", role: "group", "aria-label": "Filter" });
    item.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.tagName === "INPUT") this.changed();
    });
    this.items.push(item);
    this.element.append(item.element);
    this.draw(item, comparator);
    return item;
  }

  /**
   * Adds filters that `describe` gave.
   * @throws {Error} if the schema has no such filter
   */
  apply(filters) {
    for (const [name, comparator, value, distance] of filters) {
      const field = this.fields.find((candidate) => candidate.name === name);
      if (!field || !comparators(field).some(([known]) => known === comparator)) {
        throw new Error(`${this.type.name} records cannot be filtered by “${name} ${comparator}”: check its indexes.`);
      }
      const item = this.append(field, comparator);
      item.value.write(value);
      if (item.distance && Number(distance) > 0) item.distance.value = String(Number(distance));
    }
  }

  /** The filters as an address holds them: arrays of a field's name, a comparator, a value, and perhaps a distance. */
  describe() {
    return this.items.map(({ field, comparator, value, distance }) =>
      [field.name, comparator, value.read(), ...(distance ? [Number(distance.value)] : [])]);
  }

  draw(item, comparator) {
    const options = comparators(item.field);
    item.comparator = options.some(([value]) => value === comparator) ? comparator : options[0][0];
    const fieldChoice = h("select", { class: "input", "aria-label": "Field", on: { change: (event) => {
      item.field = this.fields.find((field) => field.name === event.target.value);
      this.draw(item);
    } } }, this.fields.map((field) => h("option", { value: field.name,
    text: SYSTEM_FIELDS[field.name]?.label ?? field.name })));
    fieldChoice.value = item.field.name;
    const choice = h("select", {
      class: "input",
      "aria-label": "Comparison",
      on: { change: (event) => { item.comparator = event.target.value; } },
    },
      options.map(([value, text]) => h("option", { value, text })));
    choice.value = item.comparator;
    const type = item.field.searchable && WORDS.some(([value]) => value === item.comparator) ? "STRING"
      : elementType(item.field.type);
    item.value = scalar(type, { ...this.context, label: "Value", isPlain: true });
    const distance = type === "LOCATION" ? h("input", {
      class: "input",
      type: "number",
      min: "1",
      value: "10000",
      "aria-label": "Distance in metres",
    }) : null;
    item.distance = distance;
    replace(item.element, fieldChoice, choice, distance ? [
      distance,
      h("span", { class: "soft", text: "metres of" }),
    ] : null,
      h("div", { class: "value" }, item.value.element),
      rowButton("Remove filter", "close", () => {
        this.items.splice(this.items.indexOf(item), 1);
        item.element.remove();
        this.changed();
      }));
  }

  /** The filters as the web services take them. Throws if a value is missing or invalid. */
  read() {
    return this.items.map((item) => {
      const type = elementType(item.field.type);
      let value = item.value.read();
      if (value === null || value === undefined) throw new Error(`The filter of ${item.field.name} has no value.`);
      if (item.field.name === "___recordID" || item.field.name.endsWith("By")) {
        value = { recordName: value.recordName ?? value };
      }
      const filter = { comparator: item.comparator, fieldValue: { value, type } };
      const system = SYSTEM_FIELDS[item.field.name];
      if (system) filter.systemFieldName = system.wire;
      else filter.fieldName = item.field.name;
      if (item.distance) filter.distance = Number(item.distance.value);
      return filter;
    });
  }

  get isEmpty() { return this.items.length === 0; }

  button() { return button("Add filter", { on: { click: () => this.add() } }, "filter"); }
}

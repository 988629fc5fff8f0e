/** What an import would save, as a table of columns whose fields and types can be chosen. */

import { h, replace } from "../../core/dom.js";
import { checkbox, Field } from "../../core/form.js";
import { line, number, plural } from "../../core/format.js";
import { icon } from "../../core/icons.js";
import { badge, notice, table } from "../../core/parts.js";
import { state } from "../../core/state.js";
import { lineList } from "./result.js";
import { COLUMN_TYPES, json } from "./types.js";

export class PlanView {
  /** @param {{plan: Plan, recordType: string, type: object?}} parts `type` is undefined if the schema lacks it */
  constructor({ plan, recordType, type }) {
    Object.assign(this, { plan, recordType });
    this.changed = () => {};
    plan.suit(type);
    this.columns = h("div");
    this.problems = h("div", { class: "stack" });
    this.conflicts = new Field({
      label: "If a record with the same name exists", name: "replaces", value: "create",
      options: [{ value: "create", label: "Do not save the row" }, { value: "replace", label: "Replace the record" }],
    });
    this.leaveOut = checkbox("Import the rows without errors", { name: "leavesOut" });
    this.leaveOut.input.addEventListener("change", () => this.changed());
    const others = [...plan.recordTypes].filter((name) => name !== recordType);
    this.element = h("div", { class: "stack plan" },
      h("p", {}, h("strong", { text: plan.file.name }), `: ${plural(plan.rows, "row")}, `
        + `${plural(plan.columns.length, "column")}, to be saved as ${recordType}.`),
      type ? null : notice(`The record type ${recordType} is new. The first record adds it to the schema.`),
      others.length ? notice(`The file has records of type ${others.join(", ")}, which become ${recordType} records.`, {
        kind: "warn",
      }) : null,
      this.columns, this.conflicts.element, this.problems);
    this.drawColumns();
  }

  get replaces() { return this.conflicts.value === "replace"; }

  get hasErrors() { return this.plan.problemCount + this.plan.misfitCount > 0; }

  /** Whether the import can begin: what is wrong has been seen, and is to be left out. */
  get isReady() {
    return this.plan.rows > 0 && !this.plan.obstacle && (!this.hasErrors || this.leaveOut.input.checked);
  }

  drawColumns() {
    replace(this.columns, table({
      label: "Columns",
      columns: [
        { name: "Column", class: "main" }, { name: "Field" }, { name: "Type" }, { name: "First value" },
        { name: "Check" },
      ],
      rows: this.plan.columns.map((column) => this.row(column)),
    }));
    this.drawProblems();
  }

  row(column) {
    const check = h("div", { class: "check-words" });
    const field = h("input", {
      class: "input code", "aria-label": `Field of ${column.name}`, value: column.field, autocomplete: "off",
      spellcheck: "false",
    });
    const type = h("select", { class: "input", "aria-label": `Type of ${column.name}` }, this.typesOf(column).map(
      ([value, text]) => h("option", { value, text }),
    ));
    const draw = () => {
      type.value = column.role === "field" ? column.type : column.role;
      field.disabled = column.role !== "field" || this.plan.isExport;
      replace(check, this.wordsOf(column));
      this.drawProblems();
    };
    field.addEventListener("change", () => {
      column.field = field.value.trim();
      this.plan.suitField(column);
      draw();
    });
    type.addEventListener("change", () => {
      const former = type.value === "name" ? this.plan.nameColumn : null;
      column.role = ["name", "skip"].includes(type.value) ? type.value : "field";
      if (column.role === "field") column.type = type.value;
      // One column names the records.
      if (former && former !== column) {
        former.role = "skip";
        this.drawColumns();
        this.columns.querySelector(`[aria-label="Type of ${CSS.escape(column.name)}"]`)?.focus();
      } else draw();
    });
    draw();
    const example = h("span", { class: "code", text: shown(column.example) });
    return [h("span", { text: column.name }), field, type, example, check];
  }

  typesOf(column) {
    const field = this.plan.fieldOf(column);
    const types = column.declared ? [column.declared] : COLUMN_TYPES;
    const offered = types.filter((type) => !type.includes("ASSET"));
    const isUnknown = state.environment === "production" && !field;
    return [
      ...(isUnknown ? [] : offered).map((type) => [type, type]),
      ...(column.declared ? [] : [["name", "Record name"]]), ["skip", "Leave out"],
    ];
  }

  /** What is to be known of a column before it is imported. */
  wordsOf(column) {
    const field = this.plan.fieldOf(column);
    if (column.role === "name") return badge("record name", "tint");
    if ((field?.type ?? column.declared ?? "").includes("ASSET")) return badge("assets are not imported", "warn");
    if (column.role === "skip") {
      return badge(field || state.environment === "development" ? "left out" : "not in the schema");
    }
    const { count, first } = column.misfit;
    if (count) {
      return h("span", { class: "bad-words" }, icon("warning"),
        `${notFitting(count)}, the first on line ${number(first.line)}: ${first.reason}`);
    }
    if (field && !column.declared && field.type !== column.type) return badge(`the schema has ${field.type}`, "warn");
    return field ? badge("in the schema", "good") : badge("new field", "tint");
  }

  drawProblems() {
    const { plan } = this;
    const { obstacle, problems, problemCount, misfitCount } = plan;
    this.conflicts.element.hidden = !plan.nameColumn && !plan.isExport;
    const count = [
      problemCount ? `${plural(problemCount, "row")} cannot be read` : "",
      misfitCount ? `${notFitting(misfitCount)} the types` : "",
    ].filter(Boolean).join(", and ");
    replace(this.problems,
      obstacle ? notice(obstacle, { kind: "problem" }) : null,
      problems.length ? lineList(problems, problemCount) : null,
      this.hasErrors ? notice(`${count}. The rows with errors are not saved.`, {
        kind: "warn", action: this.leaveOut.element,
      }) : null);
    this.changed();
  }
}

const notFitting = (count) => `${plural(count, "value")} ${count === 1 ? "does" : "do"} not fit`;

const shown = (example) => {
  if (example === null || example === undefined) return "–";
  return line(typeof example === "object" ? json(example) : String(example), 40);
};

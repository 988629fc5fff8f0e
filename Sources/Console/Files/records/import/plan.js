/** What an import would save: the columns of a file, and the types that fit all of their values. */

import { isName } from "../../core/schema.js";
import { state } from "../../core/state.js";
import { rowsOf } from "./scan.js";
import { COLUMN_TYPES, INFERRED, json, looksLike, read, refusal } from "./types.js";

/** Columns of a file. */
const COLUMNS = 500;
/** Lines with errors that are kept. */
const KEPT = 1_000;

/** What was seen of a column's values. */
class Column {
  constructor(name) {
    this.name = name;
    this.field = fieldName(name);
    this.count = 0;
    this.example = null;
    /** By type: how many values are none of it, and the first of them. */
    this.misfits = Object.fromEntries(COLUMN_TYPES.map((type) => [type, { count: 0, first: null }]));
    this.plausible = new Set(INFERRED);
    /** The type that records of an export say themselves. */
    this.declared = null;
  }

  see(raw, line) {
    this.count += 1;
    this.example ??= raw;
    for (const type of this.plausible) if (!looksLike(raw, type)) this.plausible.delete(type);
    for (const type of COLUMN_TYPES) {
      if (read(raw, type) !== undefined) continue;
      const misfit = this.misfits[type];
      misfit.count += 1;
      misfit.first ??= { line, reason: refusal(raw, type) };
    }
  }

  seeField(field) {
    this.count += 1;
    this.example ??= field.value;
    this.declared ??= schemaType(field);
  }

  get inferred() { return INFERRED.find((type) => this.plausible.has(type)) ?? "STRING"; }

  /** The values that the chosen type cannot hold. */
  get misfit() { return this.role === "field" && !this.declared ? this.misfits[this.type] : { count: 0, first: null }; }
}

/** A column's name as a field can have it. */
function fieldName(name) {
  const plain = name.trim().replace(/\W+/g, "_").replace(/^_+|_+$/g, "");
  return isName(plain) ? plain : `field_${plain}`.slice(0, 255);
}

/** A field's type, as schemas write it, of what an export has. */
const schemaType = ({ type }) => String(type).replace(/^(\w+)_LIST$/, "LIST<$1>").replace("ASSETID", "ASSET");

/** A file that was read once, and how its columns become fields. */
export class Plan {
  constructor(file, format) {
    Object.assign(this, { file, format });
    this.columns = [];
    this.byName = new Map();
    this.rows = 0;
    this.problems = [];
    this.problemCount = 0;
    this.recordTypes = new Set();
    /** Whether the lines are whole records, as an export has them. */
    this.isExport = null;
  }

  /** Reads the whole file. */
  static async of(file, format, options) {
    const plan = new Plan(file, format);
    for await (const rows of rowsOf(file, format, options)) for (const row of rows) plan.see(row);
    if (plan.rows === 0 && plan.problemCount === 0) throw new Error("The file has no rows.");
    return plan;
  }

  see(row) {
    if (this.format === "csv" && !this.header) {
      if (row.problem) throw new Error(`Line ${row.line}: ${row.problem}`);
      this.header = row.cells.map((name) => name.trim());
      checkHeader(this.header);
      for (const name of this.header) this.column(name);
      return;
    }
    const members = this.membersOf(row);
    if (!members) return;
    this.rows += 1;
    for (const [name, raw] of members) {
      if (this.isExport) this.column(name).seeField(raw);
      else this.column(name).see(raw, row.line);
    }
  }

  /** The values of a row by column; null if it has an error, which is counted. */
  membersOf(row) {
    try {
      return valuesOf(row, this);
    } catch (error) {
      this.problemCount += 1;
      if (this.problems.length < KEPT) this.problems.push({ line: row.line, reason: error.message });
      return null;
    }
  }

  column(name) {
    if (!this.byName.has(name)) {
      if (this.columns.length === COLUMNS) throw new Error(`A file can have at most ${COLUMNS} columns.`);
      const column = new Column(name);
      this.byName.set(name, column);
      this.columns.push(column);
    }
    return this.byName.get(name);
  }

  /** Chooses what becomes of each column in records of a type; `type` is null for one that the schema lacks. */
  suit(type) {
    this.type = type;
    for (const column of this.columns) {
      column.role = roleOf(column);
      this.suitField(column);
    }
  }

  /** Gives a column the type of its field, or the inferred one. */
  suitField(column) {
    const known = this.fieldOf(column);
    column.isKnown = Boolean(known);
    column.isEncrypted = Boolean(known?.encrypted);
    column.type = known && COLUMN_TYPES.includes(known.type) ? known.type : column.declared ?? column.inferred;
    // Production takes no fields that were not deployed.
    if (column.role === "field" && !known && state.environment === "production") column.role = "skip";
    if (column.role === "field" && (known?.type ?? column.type).includes("ASSET")) column.role = "skip";
  }

  fieldOf(column) { return this.type?.fields.find(({ name, system }) => !system && name === column.field); }

  get nameColumn() { return this.columns.find(({ role }) => role === "name"); }

  /** Why the plan cannot be carried out; null if it can. */
  get obstacle() {
    const fields = this.columns.filter(({ role }) => role === "field");
    if (fields.length === 0) return "Choose a type for at least one column.";
    const wrong = fields.find(({ field }) => !isName(field));
    if (wrong) {
      return `“${wrong.field}” cannot be the name of a field. Start with a letter. Use only letters, digits and `
        + "underscores.";
    }
    const names = fields.map(({ field }) => field);
    const twice = names.find((name, place) => names.indexOf(name) !== place);
    return twice ? `Two columns have the field “${twice}”.` : null;
  }

  /** Values that do not fit the types that are chosen. */
  get misfitCount() { return this.columns.reduce((sum, { misfit }) => sum + misfit.count, 0); }

  /**
   * The record that a row is.
   * @throws {Error} that says what is wrong with the row
   */
  recordOf(row, recordType) {
    const record = { recordType, fields: {} };
    if (this.isExport && row.value?.recordName) record.recordName = row.value.recordName;
    if (this.isExport && row.value?.parent) record.parent = row.value.parent;
    for (const [name, raw] of valuesOf(row, this)) {
      const column = this.byName.get(name);
      if (column.role === "name") record.recordName = String(raw).trim();
      if (column.role !== "field") continue;
      record.fields[column.field] = this.isExport ? JSON.parse(json(raw)) : wire(raw, column);
    }
    if (this.nameColumn && !record.recordName) throw new Error(`${this.nameColumn.name} is empty.`);
    return record;
  }
}

function checkHeader(header) {
  const empty = header.indexOf("");
  if (empty >= 0) throw new Error(`Column ${empty + 1} has no name. The first line must name every column.`);
  const twice = header.find((name, place) => header.indexOf(name) !== place);
  if (twice !== undefined) throw new Error(`The first line names the column “${twice}” twice.`);
}

function roleOf(column) {
  if (column.name === "recordName") return "name";
  return column.name.startsWith("___") ? "skip" : "field";
}

/** The values of a row by column, without those that are empty. */
function valuesOf(row, plan) {
  if (row.problem) throw new Error(row.problem);
  if (plan.format === "csv") {
    const { header } = plan;
    if (row.cells.length !== header.length) {
      throw new Error(`The row has ${row.cells.length} cells, the first line has ${header.length}.`);
    }
    return header.map((name, place) => [name, row.cells[place]]).filter(([, text]) => text !== "");
  }
  const { recordType, fields } = row.value;
  const isExport = typeof recordType === "string" && typeof fields === "object" && fields !== null;
  plan.isExport ??= isExport;
  if (isExport !== plan.isExport) throw new Error("This line and the lines before it have different formats.");
  if (isExport) plan.recordTypes.add(recordType);
  const isGiven = ([, value]) => value !== null && value !== undefined;
  return Object.entries(isExport ? fields : row.value).filter(isGiven);
}

function wire(raw, { name, type, isEncrypted }) {
  const value = read(raw, type);
  if (value === undefined) throw new Error(`${name}: ${refusal(raw, type)}`);
  const written = type.startsWith("LIST<") ? `${type.slice(5, -1)}_LIST` : type;
  if (!isEncrypted) return { value, type: written };
  return { value, type: written === "BYTES" ? "ENCRYPTED_BYTES" : written, isEncrypted: true };
}

/** Records as files: CSV and JSON lines. */

import { plain } from "./record-json.js";

/** A value as CSV has it, which an import reads as the same: times in ISO 8601, places as two numbers, lists as JSON.
 */
function cell({ value, type }) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) {
    const element = type?.replace(/_LIST$/, "");
    return JSON.stringify(value.map((one) => (typeof one === "object" ? cell({ value: one, type: element }) : one)));
  }
  if (type === "TIMESTAMP") {
    const date = new Date(Number(value));
    return Number.isNaN(date.getTime()) ? String(value) : date.toISOString();
  }
  if (type === "LOCATION") return `${value.latitude},${value.longitude}`;
  if (type === "REFERENCE") return value.recordName;
  if (typeof value === "object") return value.fileChecksum ?? JSON.stringify(value);
  return String(value);
}

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Rows of cells as CSV. */
export const csvOf = (rows) => rows.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");

/** Records as CSV: a line of names, and a line for each record. */
export function csv(records, fieldNames) {
  const lines = [["recordName", ...fieldNames]];
  for (const record of records) {
    const { fields = {} } = plain(record);
    lines.push([record.recordName, ...fieldNames.map((name) => (fields[name] ? cell(fields[name]) : ""))]);
  }
  return csvOf(lines);
}

/** Records as JSON lines, as the server exports them. */
export const jsonLines = (records) => records.map((record) => `${JSON.stringify(plain(record))}\n`).join("");

/** Lets the browser save a text as a file. */
export function saveFile(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read it only after the press.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** What the grid shows of records. */

import { bytes, line, number, time } from "../core/format.js";
import { keep, kept } from "../core/kept.js";
import { hasOrder } from "../core/schema.js";

const WIDTHS = {
  STRING: 230,
  INT64: 120,
  DOUBLE: 130,
  TIMESTAMP: 210,
  LOCATION: 210,
  REFERENCE: 210,
  ASSET: 150,
  BYTES: 130,
};

/** The width of the record name, which leaves room for other columns on a phone. */
const nameWidth = () => (window.matchMedia("(max-width: 40rem)").matches ? 150 : 240);

/** A value as one line. */
export function summary(value, type = "") {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) {
    const element = type.replace(/_LIST$/, "");
    const items = value.slice(0, 8).map((item) => summary(item, element));
    return value.length === 0 ? "[ ]" : `[${value.length}] ${items.join(", ")}`;
  }
  switch (type) {
    case "TIMESTAMP": return time(value, { withMilliseconds: true });
    case "LOCATION": return `${coordinate(value.latitude)}, ${coordinate(value.longitude)}`;
    case "REFERENCE": return value.recordName;
    case "ASSET": case "ASSETID": return bytes(value.size ?? 0);
    case "BYTES": case "ENCRYPTED_BYTES": return bytes(Math.floor((String(value).replace(/=+$/, "").length * 3) / 4));
    default: return typeof value === "object" ? line(JSON.stringify(value)) : line(value);
  }
}

const KINDS = { INT64: "number", DOUBLE: "number", REFERENCE: "reference" };

const coordinate = (degrees) => Number(degrees).toFixed(5);

/** The usual order of columns: texts first, then numbers. Values that do not fit into a line come last. */
const ORDER = ["STRING", "INT64", "DOUBLE", "TIMESTAMP", "REFERENCE", "LOCATION", "ASSET", "BYTES"];
const TITLES = ["title", "name"];
function rank(field) {
  if (field.encrypted) return ORDER.length + 1;
  if (TITLES.includes(field.name)) return -1;
  return field.type.startsWith("LIST") ? ORDER.length : ORDER.indexOf(field.type);
}

/** Columns that are not shown unless they are chosen. */
const HIDDEN = ["___createTime", "___createdBy", "___etag"];

/** All columns for a record type: its name, its fields as the schema has them, and what the system writes. */
function allColumns(type) {
  const own = (type?.fields ?? []).filter((field) => !field.system)
    .sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
  const system = Object.fromEntries((type?.fields ?? []).filter((field) => field.system).map(
    (field) => [field.name, field],
  ));
  return [
    {
      name: "___recordID", label: "Record name", width: nameWidth(), kind: "name",
      text: (record) => record.recordName,
    },
    ...own.map((field) => ({
      name: field.name, label: field.name, field, isSortable: hasOrder(field),
      width: field.type.startsWith("LIST") ? 220 : WIDTHS[field.type] ?? 180,
      kind: KINDS[field.type] ?? "",
      text: (record) => cellText(record.fields?.[field.name]),
    })),
    {
      name: "___modTime", label: "Modified", width: 190, isSortable: Boolean(system.___modTime?.sortable),
      text: (record) => (record.modified ? time(record.modified.timestamp) : null),
    },
    {
      name: "___modifiedBy",
      label: "Modified by",
      width: 200,
      kind: "name",
      text: (record) => record.modified?.userRecordName ?? null,
    },
    {
      name: "___createTime", label: "Created", width: 190, isSortable: Boolean(system.___createTime?.sortable),
      text: (record) => (record.created ? time(record.created.timestamp) : null),
    },
    {
      name: "___createdBy",
      label: "Created by",
      width: 200,
      kind: "name",
      text: (record) => record.created?.userRecordName ?? null,
    },
    {
      name: "___etag", label: "Change tag", width: 130, kind: "name",
      text: (record) => record.recordChangeTag ?? null,
    },
  ];
}

/**
 * All columns for a record type in the developer's order, each with whether it `isShown`. The record name is always the
 * first one. Fields that are new in the schema are shown.
 */
export function arrangedColumns(type) {
  const [name, ...others] = allColumns(type);
  const choice = kept(`columns:${type.name}`, null);
  const place = (column) => choice?.order?.indexOf(column.name) ?? -1;
  const isShown = (column) => !(choice?.hidden ?? HIDDEN).includes(column.name);
  const known = others.filter((column) => place(column) >= 0).sort((one, other) => place(one) - place(other));
  const rest = others.filter((column) => place(column) < 0);
  const shown = [...known, ...rest].map((column) => ({ ...column, isShown: isShown(column) }));
  return [{ ...name, isShown: true }, ...shown];
}

/** The columns that are shown of a record type. */
export const columnsFor = (type) => arrangedColumns(type).filter(({ isShown }) => isShown);

/** Keeps which columns are shown, and their order; null restores the usual ones. */
export function keepColumns(type, columns) {
  return keep(`columns:${type.name}`, columns && {
    order: columns.map(({ name }) => name), hidden: columns.filter(({ isShown }) => !isShown).map(({ name }) => name),
  });
}

function cellText(field) {
  if (!field) return null;
  if (field.isEncrypted || field.type === "ENCRYPTED_BYTES") return `encrypted, ${summary(field.value, "BYTES")}`;
  return summary(field.value, field.type);
}

export const countText = (pages) => (pages.isComplete ? number(pages.known) : `${number(pages.known)}+`);

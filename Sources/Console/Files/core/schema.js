/** Schemas: what the server tells of them, kept while a container is looked at, and how they are written as text. */

import * as api from "./api.js";
import { state } from "./state.js";

export const TYPES = ["STRING", "INT64", "DOUBLE", "TIMESTAMP", "LOCATION", "REFERENCE", "ASSET", "BYTES"];
export const FIELD_TYPES = [...TYPES, ...TYPES.map((type) => `LIST<${type}>`)];
export const SYSTEM_FIELDS = {
  ___recordID: { wire: "recordName", type: "REFERENCE", label: "Record name" },
  ___createTime: { wire: "createdTimestamp", type: "TIMESTAMP", label: "Created" },
  ___modTime: { wire: "modifiedTimestamp", type: "TIMESTAMP", label: "Modified" },
  ___createdBy: { wire: "createdUserRecordName", type: "REFERENCE", label: "Created by" },
  ___modifiedBy: { wire: "modifiedUserRecordName", type: "REFERENCE", label: "Modified by" },
  ___etag: { wire: "recordChangeTag", type: "STRING", label: "Change tag" },
};

/** What every account and device has by itself; nobody designs them. */
const OWN = /^(Users$|cloudkit\.|Stratus)/;
export const isOwnType = (name) => OWN.test(name);

/** The schema of the present environment. */
export async function fetchSchema({ signal } = {}) {
  return api.get(api.inEnvironment("schema"), { signal });
}

/** Which indexes fields of a type can have. */
export function indexesFor(type, isEncrypted) {
  if (isEncrypted || ["ASSET", "LIST<ASSET>"].includes(type)) return [];
  if (type === "STRING") return ["queryable", "sortable", "searchable"];
  if (type === "LIST<LOCATION>") return [];
  if (type === "LIST<STRING>") return ["queryable", "searchable"];
  if (type === "REFERENCE" || type.startsWith("LIST<")) return ["queryable"];
  return ["queryable", "sortable"];
}

/** Whether records can be put in a field's order; places have only distances from others. */
export const hasOrder = (field) => Boolean(field.sortable) && field.type !== "LOCATION";

export const canBeEncrypted = (type) => !/ASSET|REFERENCE/.test(type);
export const isList = (type) => type.startsWith("LIST<");
export const elementType = (type) => (isList(type) ? type.slice(5, -1) : type);

/** Whether a record type or a field can have a name. */
export const isName = (text) => /^[A-Za-z]\w{0,254}$/.test(text);

const quoted = (name) => `"${name}"`;

/** A schema in its own language. */
export function textOf({ types, roles }) {
  const lines = ["DEFINE SCHEMA", ""];
  const system = ["_world", "_icloud", "_creator"];
  const custom = roles.filter((role) => !system.includes(role));
  for (const role of custom) lines.push(`    CREATE ROLE ${quoted(role)};`);
  if (custom.length) lines.push("");
  for (const type of types) {
    lines.push(`    RECORD TYPE ${quoted(type.name)} (`, ...entriesOf(type).map((entry, index, all) =>
      `        ${entry}${index < all.length - 1 ? "," : ""}`), "    );", "");
  }
  return lines.join("\n");
}

function entriesOf(type) {
  const fields = type.fields
    .filter((field) => !field.system || field.queryable || field.sortable || field.searchable)
    .map((field) => [
      quoted(field.name), field.encrypted ? `ENCRYPTED ${field.type}` : field.type,
      field.queryable ? "QUERYABLE" : "", field.searchable ? "SEARCHABLE" : "", field.sortable ? "SORTABLE" : "",
    ].filter(Boolean).join(" "));
  const grants = Object.entries(type.grants ?? {}).filter(([, permissions]) => permissions.length)
    .map(([role, permissions]) => `GRANT ${permissions.join(", ")} TO ${quoted(role)}`);
  // A type needs an entry: the fields that every record has can always be listed.
  if (fields.length + grants.length === 0) fields.push('"___recordID" REFERENCE');
  return [...fields, ...grants];
}

/** A change of a schema, for people. */
export function describe(change) {
  const { recordType, field, type, formerType, indexes = [], permission, role } = change;
  const at = field ? `${recordType}.${field}` : recordType;
  switch (change.change) {
    case "roleAdded": return { kind: "adds", text: `Role ${role}` };
    case "roleRemoved": return { kind: "removes", text: `Role ${role}` };
    case "recordTypeAdded": return { kind: "adds", text: `Record type ${recordType}` };
    case "recordTypeRemoved": return { kind: "removes", text: `Record type ${recordType}` };
    case "fieldAdded": return { kind: "adds", text: `Field ${at}`, detail: type };
    case "fieldRemoved": return { kind: "removes", text: `Field ${at}`, detail: type };
    case "fieldTypeChanged": return { kind: "alters", text: `Field ${at}`, detail: `${formerType} becomes ${type}` };
    case "indexesAdded": return { kind: "adds", text: `Index of ${at}`, detail: indexes.join(", ") };
    case "indexesRemoved": return { kind: "removes", text: `Index of ${at}`, detail: indexes.join(", ") };
    case "grantAdded": return { kind: "adds", text: `${permission} of ${recordType} to ${role}` };
    case "grantRemoved": return { kind: "removes", text: `${permission} of ${recordType} from ${role}` };
    default: return { kind: "alters", text: change.change };
  }
}

/** The names of what changes take away: roles with what they grant, record types and fields. */
export const losses = (changes) => changes.flatMap(({ change, role, recordType, field }) => {
  switch (change) {
    case "roleRemoved": return [role];
    case "recordTypeRemoved": return [recordType];
    case "fieldRemoved": return [`${recordType}.${field}`];
    default: return [];
  }
});

/** The name of the environment, for sentences. */
export const environmentName = () => state.environment;

/** The requests of a record type, before they are written in a language. */

import { hasOrder, SYSTEM_FIELDS } from "../core/schema.js";
import { sampleField } from "./sample-values.js";

/** Types that a query compares with one value, those that are easiest to read first. */
const COMPARED = ["STRING", "INT64", "DOUBLE", "TIMESTAMP"];
const SWIFT_KEYS = { ___createTime: "creationDate", ___modTime: "modificationDate" };

/** What the requests of a type are about. */
export function sampleOf(type, { address, container, environment, database }) {
  const own = type.fields.filter((field) => !field.system);
  const fields = own.map(sampleField).filter(Boolean);
  const plain = fields.filter(({ isEncrypted }) => !isEncrypted);
  return {
    address, container, environment, database,
    recordType: type.name,
    recordName: `${type.name.toLowerCase()}-example`,
    fields,
    hasAssets: fields.length < own.length,
    changed: plainest(plain) ?? plain[0] ?? null,
    query: queryOf(type, fields),
  };
}

/** The field that is easiest to compare; null without one. */
function plainest(fields) {
  const types = COMPARED.filter((type) => fields.some((field) => field.type === type));
  return fields.find(({ type }) => type === types[0]) ?? null;
}

/** A query that the indexes of a type allow; null if they allow none. */
function queryOf(type, fields) {
  const isQueryable = (name) => type.fields.some((field) => field.name === name && field.queryable);
  const filter = plainest(fields.filter(({ name }) => isQueryable(name)));
  if (!filter && !isQueryable("___recordID")) return null;
  const sorted = type.fields.find((field) => hasOrder(field) && !field.system)
    ?? type.fields.find((field) => hasOrder(field) && SWIFT_KEYS[field.name]);
  return { filter, sort: sorted ? sortOf(sorted) : null };
}

function sortOf({ name }) {
  if (!SWIFT_KEYS[name]) return { wire: { fieldName: name, ascending: true }, swift: name };
  return { wire: { systemFieldName: SYSTEM_FIELDS[name].wire, ascending: true }, swift: SWIFT_KEYS[name] };
}

/** The title of each request, and what to know about it. */
export const EXPLANATIONS = {
  create: ["Create a record", "Fails with CONFLICT if a record of this name exists."],
  fetch: ["Fetch a record", "The response contains the fields and the change tag."],
  query: ["Query records", "Filters and sort orders need an index of their field."],
  update: ["Update a record", "The change tag ensures that nobody else has changed the record in the meantime."],
  remove: ["Delete a record", "Deletes the record regardless of its change tag."],
};

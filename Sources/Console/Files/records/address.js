/** How the records view writes what it shows in the page's address. */

import { DEFAULT_ZONE } from "../core/cloud.js";

/** What an address asks for. An order is `{name, ascending}`, or null for none; undefined where the address names none.
 * Filters are arrays of a field's name, a comparator, a value, and for places a distance.
 * @throws {Error} if the filters cannot be read
 */
export function filtersOf(query) {
  const text = query.get("filter");
  if (!text) return [];
  try {
    const filters = JSON.parse(text);
    const isFilter = (filter) => Array.isArray(filter) && filter.length >= 3;
    if (Array.isArray(filters) && filters.every(isFilter)) return filters;
  } catch {
    // Said below.
  }
  throw new Error("The filters in the address cannot be read.");
}

/** The order that an address names; null for “no order”, undefined where it names none. */
export function orderOf(query) {
  const text = query.get("order");
  if (!text) return undefined;
  if (text === "-") return null;
  return text.startsWith("-") ? { name: text.slice(1), ascending: false } : { name: text, ascending: true };
}

export const orderText = (sort) => (sort ? `${sort.ascending ? "" : "-"}${sort.name}` : "-");

/** The parameters of an address, without those that say nothing. */
export function parametersOf({ database, zone, owner, typeName, filters, order }) {
  const isDefault = zone === DEFAULT_ZONE && !owner;
  const parameters = {
    database: database === "public" ? "" : database,
    zone: isDefault ? "" : zone,
    owner,
    type: typeName,
    filter: filters.length ? JSON.stringify(filters) : "",
    order,
  };
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value));
}

/** An address's parameters as one text, to compare them; which record is open does not count. */
export function keyOf(query) {
  const parameters = new URLSearchParams(query);
  parameters.delete("record");
  parameters.sort();
  return parameters.toString();
}

/** Requests of the web services: in `curl` and in JavaScript. */

import { wireValue } from "./sample-values.js";

/** Stands for the change tag until the body is written. */
const TAG = "@change-tag@";
const WIDTH = 92;

/** JSON with as much in a line as is easily read. */
export function pretty(value, indent = "") {
  const flat = JSON.stringify(value, null, 1).replace(/\n\s*/g, " ");
  if (value === null || typeof value !== "object" || indent.length + flat.length <= WIDTH) return flat;
  const inner = `${indent}  `;
  const isArray = Array.isArray(value);
  const parts = isArray ? value.map((item) => inner + pretty(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${pretty(item, inner)}`);
  return `${isArray ? "[" : "{"}\n${parts.join(",\n")}\n${indent}${isArray ? "]" : "}"}`;
}

function bodies({ recordType, recordName, fields, changed, query }) {
  // What is encrypted is encrypted on devices, by the SDK.
  const plain = fields.filter(({ isEncrypted }) => !isEncrypted);
  const create = {
    recordType, recordName, fields: Object.fromEntries(plain.map((field) => wireValue(field, field.values[0]))),
  };
  const update = {
    recordType, recordName, recordChangeTag: TAG,
    fields: Object.fromEntries(changed ? [wireValue(changed, changed.values[1])] : []),
  };
  const operation = (operationType, record) => ({ operations: [{ operationType, record }] });
  return {
    create: operation("create", create),
    fetch: { records: [{ recordName }] },
    query: query && { query: {
      recordType,
      ...(query.filter ? { filterBy: [{
        fieldName: query.filter.name, comparator: "EQUALS",
        fieldValue: wireValue(query.filter, query.filter.values[0])[1],
      }] } : {}),
      ...(query.sort ? { sortBy: [query.sort.wire] } : {}),
    } },
    update: operation("update", update),
    remove: operation("forceDelete", { recordName }),
  };
}

/** In single quotes of a shell. */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

export function curl(sample) {
  const place = `${sample.address}/database/1/${sample.container}/${sample.environment}/${sample.database}`;
  const call = (operation, body) => [
    `curl -sS "${place}/${operation}\\`,
    '?ckAPIToken=$STRATUS_API_TOKEN&ckWebAuthToken=$STRATUS_WEB_AUTH_TOKEN" \\',
    `  -H 'Content-Type: application/json' -d ${quoted(pretty(body)).replace(TAG, () => `'"$TAG"'`)}`,
  ].join("\n");
  const { create, fetch, query, update, remove } = bodies(sample);
  const tag = `TAG=$(${call("records/lookup", fetch)} |\n  sed -n 's/.*"recordChangeTag" *: *"\\([^"]*\\)".*/\\1/p')`;
  return {
    setUp: "export STRATUS_API_TOKEN='…'\nexport STRATUS_WEB_AUTH_TOKEN='…'",
    create: call("records/modify", create),
    fetch: call("records/lookup", fetch),
    query: query && call("records/query", query),
    update: `${tag}\n${call("records/modify", update)}`,
    remove: call("records/modify", remove),
  };
}

export function javaScript(sample) {
  const { create, fetch, query, update, remove } = bodies(sample);
  const call = (name, operation, body) =>
    `const ${name} = await cloud(${JSON.stringify(`${sample.database}/${operation}`)}, ${pretty(body)});`;
  const shown = (name) => `console.log(${name}.records);`;
  const withTag = call("updated", "records/modify", update).replace(JSON.stringify(TAG), "recordChangeTag");
  return {
    setUp: [
      `const base = ${JSON.stringify(`${sample.address}/database/1/${sample.container}/${sample.environment}`)};`,
      `const tokens = new URLSearchParams({ ckAPIToken: "…", ckWebAuthToken: "…" });`,
      "",
      "async function cloud(operation, body) {",
      "  const response = await fetch(`${base}/${operation}?${tokens}`, {",
      `    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),`,
      "  });",
      "  const answer = await response.json();",
      "  const problem = response.ok ? answer.records.find((record) => record.serverErrorCode) : answer;",
      "  if (problem) throw new Error(problem.reason);",
      "  return answer;",
      "}",
    ].join("\n"),
    create: `${call("created", "records/modify", create)}\n${shown("created")}`,
    fetch: `${call("fetched", "records/lookup", fetch)}\n${shown("fetched")}`,
    query: query && `${call("found", "records/query", query)}\n${shown("found")}`,
    update: [
      call("current", "records/lookup", fetch), "const { recordChangeTag } = current.records[0];", withTag,
      shown("updated"),
    ].join("\n"),
    remove: `${call("deleted", "records/modify", remove)}\n${shown("deleted")}`,
  };
}

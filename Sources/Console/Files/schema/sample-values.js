/** Example values for the fields of a record type, in each of the languages that requests are shown in. */

import { elementType, isList } from "../core/schema.js";

/** 2026-01-01 00:00:00 UTC. */
const MOMENT = 1767225600000;
const PLACE = { latitude: 52.52, longitude: 13.405 };
/** `SGVsbG8=` is “Hello”. */
const BYTES = "SGVsbG8=";

/** A text of Swift, or of JSON's subset of it. */
export const swiftText = (text) => JSON.stringify(text).replace(/\\u([0-9a-f]{4})/gi, "\\u{$1}").replace(/\\[bf]/g, "");

/** Two examples of a type: the value as JSON, and the same as an expression of Swift. */
function examplesOf(type, name) {
  const [first, second] = [`Example ${name}`, `Another ${name}`];
  switch (type) {
    case "INT64": return [{ json: 1, swift: "1" }, { json: 2, swift: "2" }];
    case "DOUBLE": return [{ json: 1.5, swift: "1.5" }, { json: 2.5, swift: "2.5" }];
    case "TIMESTAMP": return [MOMENT, MOMENT + 86_400_000].map((moment) =>
      ({ json: moment, swift: `Date(timeIntervalSince1970: ${moment / 1000})` }));
    case "LOCATION": return [PLACE, { latitude: 48.86, longitude: 2.35 }].map((place) => ({
      json: place, swift: `CLLocation(latitude: ${place.latitude}, longitude: ${place.longitude})`,
    }));
    case "REFERENCE": return ["another-record", "a-third-record"].map((recordName) => ({
      json: { recordName, action: "NONE" },
      swift: `CKRecord.Reference(recordID: CKRecord.ID(recordName: "${recordName}"), action: .none)`,
    }));
    case "BYTES": return [
      { json: BYTES, swift: 'Data("Hello".utf8)' }, { json: "QWdhaW4=", swift: 'Data("Again".utf8)' },
    ];
    default: return [first, second].map((text) => ({ json: text, swift: swiftText(text) }));
  }
}

/**
 * A field as requests show it.
 * @returns {{name: string, type: string, isEncrypted: boolean, values: {json: *, swift: string}[]}|null} the value that
 *   a new record gets and the one that an update gives it; null for assets, whose bytes are uploaded first
 */
export function sampleField({ name, type, encrypted }) {
  const element = elementType(type);
  if (element === "ASSET") return null;
  const values = examplesOf(element, name);
  return {
    name, type, isEncrypted: Boolean(encrypted),
    values: isList(type) ? [values, [values[1]]].map((items) => ({
      json: items.map(({ json }) => json), swift: `[${items.map(({ swift }) => swift).join(", ")}]`,
    })) : values,
  };
}

/** The name of a type in the web services. */
export const wireType = (type) => (type.startsWith("LIST<") ? `${type.slice(5, -1)}_LIST` : type);

/** The value of a field in the web services. */
export const wireValue = ({ name, type }, value) => [name, { value: value.json, type: wireType(type) }];

/** The values of a file as those of record fields: what types fit them, and how they are written for the server. */

const INT64 = [-(2n ** 63n), 2n ** 63n - 1n];
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|z|[+-]\d{2}:?\d{2})?)?$/;

function integer(raw) {
  if (typeof raw === "boolean") return raw ? 1 : 0;
  const text = typeof raw === "string" ? raw.trim() : String(raw);
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  if (value < INT64[0] || value > INT64[1]) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function double(raw) {
  const text = typeof raw === "string" ? raw.trim() : raw;
  const isNumber = typeof text === "string" ? /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)
    : typeof text === "number" || typeof text === "bigint";
  const value = isNumber ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** Milliseconds since 1970 of a date in ISO 8601; without a zone it is in UTC. */
function timestamp(raw) {
  if (typeof raw !== "string") return Number.isSafeInteger(raw) ? raw : undefined;
  const text = raw.trim();
  if (/^-?\d{1,16}$/.test(text)) return Number(text);
  const parts = DATE.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = parts;
  // A day that the month lacks would become one of the next month.
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined;
  const offset = zone.toUpperCase() === "Z" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  const moment = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`;
  const value = new Date(moment).getTime();
  return Number.isNaN(value) ? undefined : value;
}

function location(raw) {
  const [latitude, longitude] = typeof raw === "string" && raw.split(",").length === 2
    ? raw.split(",").map(double) : [double(raw?.latitude ?? ""), double(raw?.longitude ?? "")];
  if (latitude === undefined || longitude === undefined) return undefined;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined;
}

function reference(raw) {
  const recordName = typeof raw === "string" ? raw.trim() : raw?.recordName;
  if (typeof recordName !== "string" || !recordName) return undefined;
  const reference = { recordName, action: raw.action ?? "NONE" };
  return raw.zoneID ? { ...reference, zoneID: raw.zoneID } : reference;
}

function base64(raw) {
  const isBase64 = typeof raw === "string" && raw.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(raw);
  return isBase64 ? raw : undefined;
}

const text = (raw) => (typeof raw === "object" ? undefined : String(raw));

/** What a value of a file is as one of a type; undefined if it is none. */
const READERS = {
  STRING: text, INT64: integer, DOUBLE: double, TIMESTAMP: timestamp, LOCATION: location, REFERENCE: reference,
  BYTES: base64,
};

const EXPECTED = {
  STRING: "text", INT64: "a 64-bit integer", DOUBLE: "a number",
  TIMESTAMP: "a date such as 2026-01-31T12:00:00Z", LOCATION: "a place such as 38.7,-9.1",
  REFERENCE: "the name of a record", BYTES: "Base64",
};

const SCALARS = Object.keys(READERS);

/** The types that a column can have. Assets cannot be in a text file. */
export const COLUMN_TYPES = [...SCALARS, ...SCALARS.map((type) => `LIST<${type}>`)];

/** A list as JSON has it, in CSV as text; undefined for anything else. */
function list(raw) {
  if (Array.isArray(raw)) return raw;
  if (typeof raw !== "string" || !raw.trimStart().startsWith("[")) return undefined;
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

/** A value of a file as one of a type of the schema; undefined if it is none. */
export function read(raw, type) {
  if (!type.startsWith("LIST<")) return raw === null || Array.isArray(raw) ? undefined : READERS[type]?.(raw);
  const values = list(raw)?.map((one) => read(one, type.slice(5, -1)));
  return values?.includes(undefined) ? undefined : values;
}

/** A value as JSON; whole numbers that a number of JavaScript cannot hold are texts in it. */
export const json = (raw) => JSON.stringify(raw, (_, one) => (typeof one === "bigint" ? String(one) : one));

/** Why a value is none of a type. */
export function refusal(raw, type) {
  const shown = typeof raw === "string" ? raw : json(raw);
  const quoted = `“${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown}”`;
  const element = type.replace(/^LIST<(.*)>$/, "$1");
  return type === element ? `${quoted} is not ${EXPECTED[element]}.`
    : `${quoted} is not a list such as ["a", "b"], each ${EXPECTED[element]}.`;
}

/** Whether a value looks like one of a type by itself. Digits with leading zeros are a code rather than a number. */
export function looksLike(raw, type) {
  const isText = typeof raw === "string";
  switch (type) {
    case "INT64": return (!isText || /^-?(0|[1-9]\d*)$/.test(raw.trim())) && read(raw, type) !== undefined;
    case "DOUBLE":
      return (!isText || /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(raw.trim())) && read(raw, type) !== undefined;
    case "TIMESTAMP": return isText && /-/.test(raw.slice(1)) && read(raw, type) !== undefined;
    case "REFERENCE": return !isText && read(raw, type) !== undefined;
    case "BYTES": return false;
    default:
      if (!type.startsWith("LIST<")) return read(raw, type) !== undefined;
      return Boolean(list(raw)?.every((one) => looksLike(one, type.slice(5, -1))));
  }
}

/** The types in the order in which they are tried: the first that all values look like is taken. */
const SCALAR_ORDER = ["INT64", "DOUBLE", "TIMESTAMP", "LOCATION", "REFERENCE", "STRING"];
export const INFERRED = [
  ...SCALAR_ORDER.slice(0, -1), ...SCALAR_ORDER.map((type) => `LIST<${type}>`), "STRING",
];

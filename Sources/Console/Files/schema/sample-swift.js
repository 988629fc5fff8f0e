/** The requests of a record type in Swift, with the SDK. */

import { swiftText } from "./sample-values.js";

const DATABASES = { public: "publicCloudDatabase", private: "privateCloudDatabase" };

const set = ({ name, isEncrypted }, value) =>
  `record${isEncrypted ? ".encryptedValues" : ""}[${swiftText(name)}] = ${value.swift}`;

export function swift(sample) {
  const { container, recordType, recordName, fields, changed, query } = sample;
  // Encrypted values belong to private databases.
  const usable = fields.filter(({ isEncrypted }) => !isEncrypted || sample.database === "private");
  const before = [
    "import CloudKit", "",
    `let database = CKContainer(identifier: ${swiftText(container)}).${DATABASES[sample.database]}`,
  ];
  const identifier = `let recordID = CKRecord.ID(recordName: ${swiftText(recordName)})`;
  const program = (...lines) => [...before, identifier, ...lines].join("\n");
  const fetched = "let record = try await database.record(for: recordID)";
  return {
    setUp: [
      `export STRATUS_URL='${sample.address}' STRATUS_CONTAINER='${container}'`,
      `export STRATUS_ENVIRONMENT='${sample.environment}'`,
      "export STRATUS_API_TOKEN='…'",
      "export STRATUS_WEB_AUTH_TOKEN='…'",
    ].join("\n"),
    create: program(
      `let record = CKRecord(recordType: ${swiftText(recordType)}, recordID: recordID)`,
      ...usable.map((field) => set(field, field.values[0])),
      "let saved = try await database.save(record)",
      'print(saved.recordChangeTag ?? "no change tag")'),
    fetch: program(fetched, "for key in record.allKeys() { print(key, record[key] as Any) }"),
    query: query && [...before, ...queryLines(recordType, query)].join("\n"),
    update: program(
      "// The fetched record carries its change tag, which the save sends.", fetched,
      ...(changed ? [set(changed, changed.values[1])] : []),
      "let saved = try await database.save(record)",
      'print(saved.recordChangeTag ?? "no change tag")'),
    remove: program("try await database.deleteRecord(withID: recordID)"),
  };
}

function queryLines(recordType, { filter, sort }) {
  const predicate = filter
    ? `NSPredicate(format: "%K == %@", ${swiftText(filter.name)}, ${argument(filter)})` : "NSPredicate(value: true)";
  return [
    `let query = CKQuery(recordType: ${swiftText(recordType)}, predicate: ${predicate})`,
    ...(sort ? [`query.sortDescriptors = [NSSortDescriptor(key: ${swiftText(sort.swift)}, ascending: true)]`] : []),
    "let (matches, _) = try await database.records(matching: query)",
    "for (id, _) in matches { print(id.recordName) }",
  ];
}

/** What a format takes for `%@`: an object. */
function argument({ type, values: [{ swift: value }] }) {
  if (type === "INT64" || type === "DOUBLE") return `NSNumber(value: ${value})`;
  return type === "TIMESTAMP" ? `${value} as NSDate` : value;
}

/** CloudKit Web Services in the developer's name: records, zones, changes, subscriptions, assets. */

import * as api from "./api.js";
import { state } from "./state.js";

export const DEFAULT_ZONE = "_defaultZone";
/** Records in a page, operations in a request. */
export const PAGE = 200;

function call(database, operation, body, options) {
  return api.post(`${api.inEnvironment("ck", database)}/${operation}`, body, options);
}

/** A page of a query. Numbers come as text, so that none loses digits. */
export function query(
  place,
  { recordType, filterBy = [], sortBy = [] },
  { marker, limit = PAGE, desiredKeys, signal } = {},
) {
  const body = { query: { recordType, filterBy, sortBy }, resultsLimit: limit, numbersAsStrings: true };
  if (place.zoneID) body.zoneID = place.zoneID;
  if (marker) body.continuationMarker = marker;
  if (desiredKeys) body.desiredKeys = desiredKeys;
  return call(place.database, "records/query", body, { signal });
}

/** One record as it is now. */
export async function lookup(place, recordName, { signal } = {}) {
  const body = { records: [{ recordName }], numbersAsStrings: true };
  if (place.zoneID) body.zoneID = place.zoneID;
  const { records } = await call(place.database, "records/lookup", body, { signal });
  return only(records);
}

/** Saves or deletes records; the answer has an item for each operation, some of which may be errors. */
export function modify(place, operations, { signal, isAtomic = false } = {}) {
  const body = { operations, numbersAsStrings: true, atomic: isAtomic };
  if (place.zoneID) body.zoneID = place.zoneID;
  return call(place.database, "records/modify", body, { signal });
}

/** Saves one record. */
export async function save(place, operationType, record) {
  const { records } = await modify(place, [{ operationType, record }]);
  return only(records);
}

/** Many records as they are now, in the order of their names. What does not exist any more is left out. */
export async function lookupAll(place, recordNames, { signal } = {}) {
  const found = [];
  for (let at = 0; at < recordNames.length; at += PAGE) {
    const names = recordNames.slice(at, at + PAGE);
    const body = { records: names.map((recordName) => ({ recordName })), numbersAsStrings: true };
    if (place.zoneID) body.zoneID = place.zoneID;
    const { records } = await call(place.database, "records/lookup", body, { signal });
    found.push(...records.filter((item) => !item.serverErrorCode));
  }
  return found;
}

/**
 * Carries out many operations, a request after the other.
 * @param {{tell?: function(number), isCancelled?: function(): boolean}} [options] `tell` is called after each request
 *   with the number of operations that are done; once `isCancelled` says so, no further request is made
 * @returns {Promise<object[]>} the operations that were refused, as the server answered them
 */
export async function modifyAll(place, operations, { tell = () => {}, isCancelled = () => false } = {}) {
  const failures = [];
  for (let at = 0; at < operations.length && !isCancelled(); at += PAGE) {
    const answer = await modify(place, operations.slice(at, at + PAGE));
    failures.push(...answer.records.filter((item) => item.serverErrorCode));
    tell(Math.min(at + PAGE, operations.length));
  }
  return failures;
}

/** Why the server refused an operation, in plain words. */
export function refusalOf({ serverErrorCode, reason }) {
  if (serverErrorCode === "CONFLICT") return "Somebody has changed this record since you saw it.";
  return api.sentence(reason ?? serverErrorCode);
}

/** Deletes many records, unless they have changed since. */
export const removeAll = (place, records, options) => modifyAll(
  place,
  records.map(({ recordName, recordChangeTag }) =>
    ({ operationType: recordChangeTag ? "delete" : "forceDelete", record: { recordName, recordChangeTag } })),
  options,
);

function only(items) {
  const [item] = items ?? [];
  if (!item || item.serverErrorCode) throw new api.ApiError(400, item ?? { reason: "the server's response is empty" });
  return item;
}

export async function zones(database, { signal } = {}) {
  const answer = await call(database, "zones/list", {}, { signal });
  return (answer.zones ?? []).filter((zone) => !zone.serverErrorCode);
}

export async function modifyZone(database, operationType, zoneID) {
  const answer = await call(database, "zones/modify", { operations: [{ operationType, zone: { zoneID } }] });
  return only(answer.zones);
}

export async function zoneChanges(database, zoneID, { syncToken, reverse, signal } = {}) {
  const zone = { zoneID, resultsLimit: PAGE, numbersAsStrings: true, reverse };
  if (syncToken) zone.syncToken = syncToken;
  const answer = await call(database, "changes/zone", { zones: [zone] }, { signal });
  return only(answer.zones);
}

export async function subscriptions(database, { signal } = {}) {
  const answer = await call(database, "subscriptions/list", {}, { signal });
  return (answer.subscriptions ?? []).filter((item) => !item.serverErrorCode);
}

export async function modifySubscription(database, operationType, subscription) {
  const answer = await call(database, "subscriptions/modify", { operations: [{ operationType, subscription }] });
  return only(answer.subscriptions);
}

/** The person that the developer is in this environment. */
export const caller = (options) => call("public", "users/caller", {}, options);

/** An address on this server, by the name at which the page was opened. */
function here(url) {
  const address = new URL(url, window.location.href);
  return window.location.origin + address.pathname + address.search;
}

/**
 * Uploads the bytes of an asset.
 * @returns {Promise<object>} the value to save in the field
 */
export async function upload(place, { recordType, recordName, fieldName }, blob, tell = () => {}) {
  const token = { recordType, fieldName };
  if (recordName) token.recordName = recordName;
  const body = { tokens: [token] };
  if (place.zoneID) body.zoneID = place.zoneID;
  const answer = await call(place.database, "assets/upload", body);
  const { url } = only(answer.tokens);
  return new Promise((done, fail) => {
    // `fetch` does not report the progress of an upload.
    const request = new XMLHttpRequest();
    request.open("POST", here(url));
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => tell(event.loaded, event.total));
    request.addEventListener("load", () => {
      if (request.status === 200 && request.response?.singleFile) done(request.response.singleFile);
      else fail(new api.ApiError(request.status, request.response ?? {}));
    });
    request.addEventListener("error", () => fail(new api.ApiError(0)));
    request.send(blob);
  });
}

/** The bytes of an asset that a record showed. */
export async function download(asset, { signal } = {}) {
  const response = await fetch(here(asset.downloadURL.replace("${f}", "asset")), { signal });
  if (!response.ok) throw new api.ApiError(response.status, {
    reason: "the asset's address has expired; open the record again",
  });
  return response.blob();
}

/** A place where records are. */
export function placeOf(database, zone, owner) {
  if (!zone || (zone === DEFAULT_ZONE && !owner)) return { database, zoneID: undefined };
  const zoneID = { zoneName: zone };
  if (owner) zoneID.ownerRecordName = owner;
  return { database, zoneID };
}

/** The databases of an environment, with their labels. */
export function databases() {
  const whose = state.actingAs ? "test account" : "yours";
  return [
    { value: "public", label: "Public" },
    { value: "private", label: `Private (${whose})` },
    { value: "shared", label: `Shared (${whose})` },
  ];
}

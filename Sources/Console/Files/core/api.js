/** Requests to the console's API, and their errors. */

import { state } from "./state.js";

const ROOT = "/console/api/";

/** The reason why the server refused a request. */
export class ApiError extends Error {
  constructor(status, body = {}) {
    super(sentence(body.reason ?? (status === 0 ? "the server cannot be reached" : `the server answered ${status}`)));
    this.name = "ApiError";
    this.status = status;
    const code = body.error ?? body.serverErrorCode;
    this.code = typeof code === "string" ? code : status === 400 ? "BAD_REQUEST" : "INTERNAL_ERROR";
    /** The name of the input that is wrong, if there is one. */
    this.field = body.field ?? null;
    this.retryAfter = body.retryAfter ?? null;
    this.body = body;
  }
}

let whenSignedOut = () => {};

/** Sets what is called when the session has ended. */
export function onSignedOut(act) {
  whenSignedOut = act;
}

/** A reason as a sentence for people. */
export function sentence(text) {
  const line = String(text);
  const first = line.charAt(0).toUpperCase() + line.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

/** Joins the parts of a path, and encodes them. */
export const path = (...parts) => parts.map(encodeURIComponent).join("/");

/** A path in the present container. */
export const inContainer = (...parts) => path("c", state.container, ...parts);

/** A path in the present environment. */
export const inEnvironment = (...parts) => path("c", state.container, state.environment, ...parts);

/**
 * Sends a request.
 * @param {string} method
 * @param {string} where a path below the API's root, encoded
 * @param {object} [body] sent as JSON
 * @param {{signal?: AbortSignal, query?: object, isEntrance?: boolean}} [options] `isEntrance`: a 401 is an answer to
 *   a sign-in, not the end of a session
 */
export async function ask(method, where, body, { signal, query, isEntrance = false } = {}) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-Stratus-Console"] = "1";
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (state.actingAs && where.includes("/ck/")) headers["X-Stratus-Act-As"] = state.actingAs.userRecordName;
  let response;
  try {
    response = await fetch(address(where, query), {
      method, headers, signal, credentials: "same-origin", cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0);
  }
  const text = await response.text();
  let answer = {};
  try {
    answer = text ? JSON.parse(text) : {};
  } catch {
    if (response.ok) throw new ApiError(502, { reason: "the server's response is not JSON" });
  }
  if (response.ok) return answer;
  if (response.status === 401 && !isEntrance) whenSignedOut();
  throw new ApiError(response.status, answer);
}

/** The address of a path of the API, for downloads and streams. */
export function address(where, query = {}) {
  const parameters = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  const text = parameters.toString();
  return ROOT + where + (text ? `?${text}` : "");
}

export const get = (where, options) => ask("GET", where, undefined, options);
export const post = (where, body = {}, options) => ask("POST", where, body, options);
export const put = (where, body = {}, options) => ask("PUT", where, body, options);
export const remove = (where, body, options) => ask("DELETE", where, body, options);

/** The session as the server sees it. */
export const session = () => ask("GET", "session", undefined, { isEntrance: true });

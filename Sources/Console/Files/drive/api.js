/** Requests about the person's files. */

import { ApiError } from "../core/api.js";
import { place } from "./place.js";

const { form } = document.body.dataset;

/** The files that the page shows, or those of an item's owner. Uploads keep theirs when the page shows others. */
export const filesOf = (item = {}) => {
  const { container, environment, owner } = place;
  return { container, environment, owner: item.owner ?? owner };
};

/** The address of something below the API's root, for downloads and pictures. */
export function address(where, query = {}, files = filesOf()) {
  // The server takes a plus as it is, so a space must not become one.
  const parameters = Object.entries({ ...query, owner: files.owner })
    .filter(([, value]) => value !== undefined && value !== null)
    .map((pair) => pair.map(encodeURIComponent).join("="));
  return `/files/api/${encodeURIComponent(files.container)}/${files.environment}/${where}` +
    (parameters.length ? `?${parameters.join("&")}` : "");
}

async function ask(method, where, { query, body, signal, files } = {}) {
  let response;
  try {
    response = await fetch(address(where, query, files), {
      method, signal, credentials: "same-origin", cache: "no-store",
      headers: method === "GET" ? {} : { "Content-Type": "application/json", "X-Stratus-Form": form },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0);
  }
  return read(response.status, await response.text());
}

function read(status, text) {
  let answer = {};
  try {
    answer = JSON.parse(text);
  } catch {
    // A proxy may answer with a page.
  }
  if (status >= 200 && status < 300) return answer;
  // Back to the form to sign in, which leads here again.
  if (status === 401) window.location.reload();
  throw new ApiError(status, status === 507 ? { ...answer, reason: "there is not enough room left for this" } : answer);
}

export const get = (where, query, signal, files) => ask("GET", where, { query, signal, files });
export const post = (where, body, files) => ask("POST", where, { body, files });

/** The first bytes of a file as text. */
export async function text(item, limit) {
  let response;
  try {
    response = await fetch(address(`items/${item.id}/content`, {}, filesOf(item)), {
      credentials: "same-origin", headers: { Range: `bytes=0-${limit - 1}` },
    });
  } catch {
    throw new ApiError(0);
  }
  if (!response.ok) throw new ApiError(response.status);
  return new TextDecoder().decode(await response.arrayBuffer());
}

/** Sends a file, and tells how many bytes have been sent. */
export function upload(file, query, signal, progress, files) {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address("upload", query, files));
    request.setRequestHeader("X-Stratus-Form", form);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => progress(event.loaded));
    request.addEventListener("load", () => {
      try {
        done(read(request.status, request.responseText));
      } catch (error) {
        fail(error);
      }
    });
    request.addEventListener("error", () => fail(new ApiError(0)));
    request.addEventListener("abort", () => fail(new DOMException("The upload was cancelled.", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

/** Saves a zip archive of items: a form, because their names may be too many for an address. */
export async function archive(items, files) {
  await post("archive/check", { items }, files);
  const fields = { form, items: items.join(",") };
  const element = document.createElement("form");
  Object.assign(element, { method: "post", action: address("archive", {}, files) });
  for (const [name, value] of Object.entries(fields)) {
    element.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  document.body.append(element);
  element.submit();
  element.remove();
}

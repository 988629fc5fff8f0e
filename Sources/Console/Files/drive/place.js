/** What the page shows, as its address says: container and environment, the folder, the order. */

const ROOT = "/files/";

/** Containers and environments with the person's files. */
export const contexts = JSON.parse(document.body.dataset.contexts);

export const place = {
  container: null, environment: null, path: [], isDeleted: false, sort: "name", descending: false,
};

/** Takes the place from the address; false if the address names none. */
export function readAddress() {
  const [container, environment, ...path] = window.location.pathname.slice(ROOT.length).split("/").filter(Boolean)
    .map(decodeURIComponent);
  const query = new URLSearchParams(window.location.search);
  const sort = query.get("sort");
  Object.assign(place, {
    container, environment, path, isDeleted: query.get("view") === "deleted",
    sort: ["size", "modified"].includes(sort) ? sort : "name", descending: query.get("descending") === "1",
  });
  return Boolean(container) && ["development", "production"].includes(environment);
}

/** The address of a place; what is not given is as it is now. */
export function addressOf(changes = {}) {
  const wanted = { ...place, ...changes };
  const query = new URLSearchParams();
  if (wanted.isDeleted) query.set("view", "deleted");
  if (wanted.sort !== "name") query.set("sort", wanted.sort);
  if (wanted.descending) query.set("descending", "1");
  const parts = [wanted.container, wanted.environment, ...(wanted.isDeleted ? [] : wanted.path)];
  return ROOT + parts.map(encodeURIComponent).join("/") + (query.size ? `?${query}` : "");
}

/** What the page shows, as its address says: container and environment, the folder, the order. */

const ROOT = "/files/";

/** Containers and environments with the person's files. */
export const contexts = JSON.parse(document.body.dataset.contexts);

export const place = {
  container: null, environment: null, view: "files", owner: null, root: null, path: [], sort: "name",
  descending: false,
  get isDeleted() { return this.view === "deleted"; },
  get isPublished() { return this.view === "published"; },
  /** Whether the list of what others share is shown. */
  get isSharedList() { return this.view === "shared" && !this.root; },
};

const VIEWS = ["files", "shared", "published", "deleted"];

/** Takes the place from the address; false if the address names none. */
export function readAddress() {
  const [container, environment, ...path] = window.location.pathname.slice(ROOT.length).split("/").filter(Boolean)
    .map(decodeURIComponent);
  const query = new URLSearchParams(window.location.search);
  const sort = query.get("sort");
  Object.assign(place, {
    container, environment, path, view: VIEWS.includes(query.get("view")) ? query.get("view") : "files",
    owner: query.get("owner"), root: query.get("root"),
    sort: ["size", "modified"].includes(sort) ? sort : "name", descending: query.get("descending") === "1",
  });
  return Boolean(container) && ["development", "production"].includes(environment);
}

/** The address of a place; what is not given is as it is now. Another view begins at its top. */
export function addressOf(changes = {}) {
  const top = changes.view ? { path: [], owner: null, root: null } : {};
  const wanted = { ...place, ...top, ...changes };
  const query = new URLSearchParams();
  if (wanted.view !== "files") query.set("view", wanted.view);
  if (wanted.root) {
    query.set("owner", wanted.owner);
    query.set("root", wanted.root);
  }
  if (wanted.sort !== "name") query.set("sort", wanted.sort);
  if (wanted.descending) query.set("descending", "1");
  const parts = [wanted.container, wanted.environment, ...wanted.path];
  return ROOT + parts.map(encodeURIComponent).join("/") + (query.size ? `?${query}` : "");
}

/** The address of a folder that the page lists. */
export const folderAddress = (item) => addressOf(place.isSharedList
  ? { view: "shared", owner: item.owner, root: item.id } : { path: [...place.path, item.name] });

/** Starts the page of files: the bar, the folder of the address, and what is done with its items. */

import * as api from "./api.js";
import * as fileActions from "./actions.js";
import { share } from "./sharing.js";
import { publish, publishedFiles } from "./publishing.js";
import { contexts, place, addressOf, folderAddress, readAddress } from "./place.js";
import { List } from "./list.js";
import { Uploads } from "./uploads.js";
import { takeDrops } from "./drops.js";
import { preview } from "./preview.js";
import { button, closeAll, toast } from "../core/dialog.js";
import { cloud, icon } from "../core/icons.js";
import { h, replace } from "../core/dom.js";
import { bytes, visible } from "../core/format.js";
import { empty, failure, waiting } from "../core/parts.js";

const actions = { ...fileActions, share, publish };
const app = document.getElementById("app");
const content = h("main", { id: "content", tabindex: "-1" });
const quota = h("p", { class: "drive-quota", id: "quota" });
const uploads = new Uploads(() => refresh());
const list = new List({
  open: (item) => open(item), go, act, more: () => loadMore(),
  dropped: (ids, folder) => actions.move(ids.map((id) => list.item(id)), folder, refresh),
});
let folder = null;
/** The shared folder that the page shows a part of; null in one's own files. */
let root = null;
let next = null;
let loading = new AbortController();

const TITLES = {
  files: "Your files", shared: "Shared with me", published: "Published files", deleted: "Recently Deleted",
};

function go(address) {
  history.pushState({}, "", address);
  return show();
}

function open(item) {
  if (place.isDeleted) return undefined;
  if (item.kind === "folder") return go(folderAddress(item));
  return preview(item, act);
}

function act(name, items) {
  const done = () => refresh();
  if (name === "open") return open(items[0]);
  return actions[name](items, done, { folder });
}

async function fetchPage(position) {
  if (place.isDeleted) return api.get("deleted", position ? { after: position } : {}, loading.signal);
  if (place.isSharedList) return api.get("shared", {}, loading.signal);
  return api.get("list", {
    path: place.path.join("/"), root: place.root, sort: place.sort,
    descending: place.descending ? "1" : undefined, ...position,
  }, loading.signal);
}

async function loadMore() {
  const page = await fetchPage(next);
  next = page.next;
  list.append(page.items, Boolean(next));
}

/** Reads the folder again, and keeps what is selected of it. */
async function refresh() {
  loading.abort();
  loading = new AbortController();
  try {
    if (place.isPublished) {
      const listed = await publishedFiles(loading.signal, refresh);
      content.removeAttribute("aria-busy");
      return replace(content, head(), listed);
    }
    const page = await fetchPage(null);
    folder = page.folder ?? null;
    root = page.root ?? null;
    next = page.next ?? null;
    list.mayChange = !place.isSharedList && (!root || root.permission === "READ_WRITE");
    content.removeAttribute("aria-busy");
    list.show(page.items, Boolean(next));
    replace(content, head(), page.items.length ? list.element : nothing());
    if (place.view === "shared") quota.textContent = "";
    else await showRoom();
    return undefined;
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    content.removeAttribute("aria-busy");
    return replace(content, head(), failure(error, show));
  }
}

async function show() {
  if (!readAddress()) return;
  closeAll();
  list.clear();
  const name = place.path.at(-1) ?? TITLES[place.view];
  root = null;
  quota.textContent = "";
  document.title = `${visible(name)} – Stratus`;
  replace(app, bar());
  app.append(content);
  content.setAttribute("aria-busy", "true");
  replace(content, head(), waiting());
  await refresh();
}

async function showRoom() {
  const room = await api.get("room", {}, loading.signal);
  const used = `${bytes(room.used)} used`;
  quota.textContent = room.available === null ? used : `${used}, ${bytes(room.available)} left`;
}

function nothing() {
  if (place.isDeleted) {
    return empty({ iconName: "remove", title: "Nothing here", text: "What you delete stays here for 30 days." });
  }
  if (place.isSharedList) {
    return empty({
      iconName: "users", title: "Nothing is shared with you", text: "Your invitations are on the page of your shares.",
      actions: [h("a", { class: "button", href: "/share", text: "Shares" })],
    });
  }
  if (!list.mayChange) return empty({ iconName: "container", title: "This folder is empty", text: "" });
  return empty({
    iconName: "upload", title: "This folder is empty", text: "Drop files here, or choose them with Upload.",
  });
}

function bar() {
  const chooser = contexts.length > 1 ? h("select", {
    class: "input slim", id: "context", "aria-label": "App",
    on: { change: (event) => {
      const [container, environment] = event.target.value.split(" ");
      go(addressOf({ container, environment, view: "files" }));
    } },
  }, contexts.map(({ container, environment }) => h("option", {
    value: `${container} ${environment}`,
    selected: container === place.container && environment === place.environment,
    text: container + (environment === "development" ? " (development)" : ""),
  }))) : null;
  return h("header", { class: "drive-bar" },
    h("span", { class: "drive-brand" }, cloud(), h("span", { text: "Stratus" })), chooser,
    h("nav", { "aria-label": "Pages" },
      [["files", "Files"], ["shared", "Shared with me"], ["published", "Published"], ["deleted", "Recently Deleted"]]
        .map(([view, text]) => link(text, addressOf({ view }), place.view === view, `to-${view}`)),
      h("a", { href: "/account", text: "Account" })));
}

const link = (text, href, isCurrent, id) => h("a", {
  href, id, text, "aria-current": isCurrent ? "page" : null, on: { click: (event) => follow(event, href) },
});

function follow(event, href) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(href);
}

function head() {
  const names = [TITLES[place.view], ...(place.root ? [root?.name ?? "…"] : []), ...place.path];
  // The list of what others share is above the folder in which the path begins.
  const above = place.root ? 1 : 0;
  const crumbs = names.map((name, index) => {
    if (index === names.length - 1) return h("li", {}, h("h1", { text: visible(name) }));
    const path = place.path.slice(0, Math.max(0, index - above));
    const crumb = link(visible(name), index < above ? addressOf({ view: "shared" }) : addressOf({ path }), false);
    if (index >= above && list.mayChange) list.takeDropsOn(crumb, () => ({ path }));
    return h("li", {}, crumb, icon("next"));
  });
  const tools = place.isDeleted || place.isPublished || !list.mayChange ? [] : [
    button("New folder", { id: "new-folder", on: { click: () => actions.makeFolder(folder, refresh) } }, "add"),
    button("Upload", { id: "upload", class: "primary", on: { click: () => chooser.click() } }, "upload"),
  ];
  return h("div", { class: "drive-head" }, h("nav", { "aria-label": "Folder" }, h("ol", { class: "crumbs" }, crumbs)),
    h("div", { class: "drive-tools" }, tools), quota);
}

const chooser = h("input", {
  type: "file", multiple: true, hidden: true, id: "chooser", on: { change: () => {
    uploads.add([...chooser.files].map((file) => ({ file, path: [] })), folder);
    chooser.value = "";
  } },
});

function start() {
  document.body.append(chooser, uploads.element);
  const takesFiles = () => !place.isDeleted && !place.isPublished && list.mayChange;
  takeDrops(content, takesFiles, (files) => uploads.add(files, folder));
  window.addEventListener("popstate", show);
  window.addEventListener("beforeunload", (event) => { if (uploads.isBusy) event.preventDefault(); });
  if (readAddress()) return show();
  if (contexts.length) {
    history.replaceState({}, "", addressOf({ ...contexts[0], path: [] }));
    return show();
  }
  replace(app, h("main", { id: "content" }, h("h1", { text: "Your files" }), h("p", {
    text: "You have not signed in to an app yet. Your files appear here when you have.",
  }), h("a", { href: "/account", text: "Your account" })));
  return undefined;
}

window.addEventListener("unhandledrejection", ({ reason }) => {
  if (reason?.name !== "AbortError") toast(reason?.message ?? "Something went wrong.", { isProblem: true });
});
start();

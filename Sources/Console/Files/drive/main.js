/** Starts the page of files: the bar, the folder of the address, and what is done with its items. */

import * as api from "./api.js";
import * as actions from "./actions.js";
import { contexts, place, addressOf, readAddress } from "./place.js";
import { List } from "./list.js";
import { Uploads } from "./uploads.js";
import { takeDrops } from "./drops.js";
import { preview } from "./preview.js";
import { button, closeAll, toast } from "../core/dialog.js";
import { cloud, icon } from "../core/icons.js";
import { h, replace } from "../core/dom.js";
import { bytes } from "../core/format.js";
import { empty, failure, waiting } from "../core/parts.js";

const app = document.getElementById("app");
const content = h("main", { id: "content", tabindex: "-1" });
const quota = h("p", { class: "drive-quota", id: "quota" });
const uploads = new Uploads(() => refresh());
const list = new List({
  open: (item) => open(item), go, act, more: () => loadMore(),
  dropped: (ids, folder) => actions.move(ids.map((id) => list.item(id)), folder, refresh),
});
let folder = null;
let next = null;
let loading = new AbortController();

function go(address) {
  history.pushState({}, "", address);
  return show();
}

function open(item) {
  if (place.isDeleted) return undefined;
  if (item.kind === "folder") return go(addressOf({ path: [...place.path, item.name] }));
  return preview(item, act);
}

function act(name, items) {
  const done = () => refresh();
  if (name === "open") return open(items[0]);
  return actions[name](items, done, { folder });
}

async function fetchPage(position) {
  if (place.isDeleted) return api.get("deleted", position ? { after: position } : {}, loading.signal);
  return api.get("list", {
    path: place.path.join("/"), sort: place.sort, descending: place.descending ? "1" : undefined, ...position,
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
    const page = await fetchPage(null);
    folder = page.folder ?? null;
    next = page.next;
    content.removeAttribute("aria-busy");
    list.show(page.items, Boolean(next));
    replace(content, head(), page.items.length ? list.element : nothing());
    await showRoom();
  } catch (error) {
    if (error.name === "AbortError") return;
    replace(content, head(), failure(error, show));
  }
}

async function show() {
  if (!readAddress()) return;
  closeAll();
  list.clear();
  const name = place.isDeleted ? "Recently Deleted" : place.path.at(-1) ?? "Your files";
  document.title = `${name} – Stratus`;
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
  return empty({
    iconName: "upload", title: "This folder is empty", text: "Drop files here, or choose them with Upload.",
  });
}

function bar() {
  const chooser = contexts.length > 1 ? h("select", {
    class: "input slim", id: "context", "aria-label": "App",
    on: { change: (event) => {
      const [container, environment] = event.target.value.split(" ");
      go(addressOf({ container, environment, path: [], isDeleted: false }));
    } },
  }, contexts.map(({ container, environment }) => h("option", {
    value: `${container} ${environment}`,
    selected: container === place.container && environment === place.environment,
    text: container + (environment === "development" ? " (development)" : ""),
  }))) : null;
  return h("header", { class: "drive-bar" },
    h("span", { class: "drive-brand" }, cloud(), h("span", { text: "Stratus" })), chooser,
    h("nav", { "aria-label": "Pages" },
      link("Files", addressOf({ path: [], isDeleted: false }), !place.isDeleted, "to-files"),
      link("Recently Deleted", addressOf({ isDeleted: true }), place.isDeleted, "to-deleted"),
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
  const names = place.isDeleted ? ["Recently Deleted"] : ["Your files", ...place.path];
  const crumbs = names.map((name, index) => {
    if (index === names.length - 1) return h("li", {}, h("h1", { text: name }));
    const path = place.path.slice(0, index);
    const crumb = link(name, addressOf({ path }), false);
    list.takeDropsOn(crumb, () => ({ path }));
    return h("li", {}, crumb, icon("next"));
  });
  const tools = place.isDeleted ? [] : [
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
  takeDrops(content, () => !place.isDeleted, (files) => uploads.add(files, folder));
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

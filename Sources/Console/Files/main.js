/** Starts the console: loads the session, and shows the view of the address. */

import * as api from "./core/api.js";
import * as router from "./core/router.js";
import { closeAll } from "./core/dialog.js";
import { h, replace } from "./core/dom.js";
import { failure, waiting } from "./core/parts.js";
import { state, update } from "./core/state.js";
import { Shell } from "./shell.js";

const app = document.getElementById("app");
let shell = null;
let leaving = null;

/** The context of a view: its root element, and a signal that is aborted when the view is left. */
function page(route, root) {
  leaving?.abort();
  leaving = new AbortController();
  return {
    root,
    route,
    query: route.query,
    signal: leaving.signal,
    cleanUp: (act) => leaving.signal.addEventListener("abort", act),
  };
}

async function enter() {
  update({ session: await api.session() });
  if (state.session.developer) await refreshContainers();
}

export async function refreshContainers() {
  const { containers } = await api.get("containers");
  update({ containers });
}

/** The address to show instead: the set-up before there is an owner, or the sign-in before a session. */
function redirection(route) {
  const { session, containers } = state;
  if (session.needsSetUp) return route.name === "set-up" ? null : router.plainAddress("set-up");
  // Later owners create their accounts, or sign in, like other people who are invited.
  if (route.name === "set-up" && window.location.hash) return router.plainAddress("invitation") + window.location.hash;
  if (route.name === "invitation") return null;
  if (!session.developer) {
    if (route.name === "sign-in") return null;
    const wanted = window.location.pathname + window.location.search;
    return router.plainAddress("sign-in") + (route.kind === "home" ? "" : `?next=${encodeURIComponent(wanted)}`);
  }
  if (route.kind === "gate") return "/console/";
  if (route.kind !== "home") return null;
  if (containers.length === 1) return router.addressOf(containers[0].id, "development", router.FIRST_VIEW);
  return router.plainAddress("containers");
}

async function show(route) {
  const elsewhere = redirection(route);
  if (elsewhere) return router.go(elsewhere, { replaces: true });
  leaving?.abort();
  closeAll();
  if (route.kind === "nowhere") return showNowhere(route);
  if (route.kind === "gate") {
    shell = null;
    const root = h("main", { class: "gate", id: "content" });
    replace(app, root);
    return render(route, root);
  }
  if (route.kind === "view") update({ container: route.container, environment: route.environment });
  else update({ container: null });
  if (!shell) {
    shell = new Shell();
    replace(app, shell.element);
  }
  shell.mark(route);
  return render(route, shell.content);
}

async function render(route, root) {
  const context = page(route, root);
  const isFirst = !root.hasChildNodes();
  if (isFirst) replace(root, waiting());
  try {
    const view = await route.load();
    if (context.signal.aborted) return;
    root.replaceChildren();
    root.scrollTop = 0;
    document.title = `${view.title} – Stratus console`;
    await view.show({
      ...context,
      refresh: () => router.go(window.location.pathname + window.location.search, { replaces: true }),
    });
    if (!isFirst && !root.contains(document.activeElement)) root.querySelector("h1")?.focus({ preventScroll: true });
  } catch (error) {
    if (error.name === "AbortError" || context.signal.aborted) return;
    // A module is missing: the server was updated after the page was loaded.
    const isStale = error instanceof TypeError && /module/i.test(error.message);
    replace(root, failure(isStale ? new Error("The console was updated on the server. Load the page again.") : error,
      () => window.location.reload()));
    if (!(error instanceof api.ApiError) && !isStale) throw error;
  }
}

function showNowhere() {
  const root = h("main", { class: "gate", id: "content" },
    h("h1", { text: "Page not found" }), h("p", { text: "The console has no page at this address." }),
    h("a", { class: "button primary", href: "/console/", text: "Go to the start page" }));
  shell = null;
  document.title = "Not found – Stratus console";
  replace(app, root);
}

api.onSignedOut(() => {
  if (!state.session?.developer) return;
  update({ session: { ...state.session, developer: null }, containers: [], actingAs: null });
  const wanted = window.location.pathname + window.location.search;
  router.go(`${router.plainAddress("sign-in")}?next=${encodeURIComponent(wanted)}`);
});

async function begin() {
  try {
    await enter();
    await router.start(show);
    document.documentElement.dataset.ready = "true";
    performance.mark("console-interactive");
  } catch (error) {
    replace(app, h("main", { class: "gate" }, failure(error, () => window.location.reload())));
    if (!(error instanceof api.ApiError)) throw error;
  }
}

begin();

/** Which view an address shows. Addresses are below `/console/`. */

const BASE = "/console/";
const ENVIRONMENTS = ["development", "production"];

/** View modules are loaded when they are first shown. */
const GATES = {
  "sign-in": () => import("../views/sign-in.js"),
  "set-up": () => import("../views/set-up.js"),
  invitation: () => import("../views/invitation.js"),
};

const PLAIN = { containers: () => import("../views/containers.js") };

const VIEWS = {
  records: () => import("../records/view.js"),
  zones: () => import("../views/zones.js"),
  changes: () => import("../views/changes.js"),
  subscriptions: () => import("../views/subscriptions.js"),
  pushes: () => import("../views/pushes.js"),
  schema: () => import("../schema/view.js"),
  roles: () => import("../views/roles.js"),
  users: () => import("../views/users.js"),
  telemetry: () => import("../views/telemetry.js"),
  log: () => import("../views/log.js"),
  tokens: () => import("../views/tokens.js"),
  webhooks: () => import("../views/webhooks.js"),
  team: () => import("../views/team.js"),
  "test-accounts": () => import("../views/test-accounts.js"),
  settings: () => import("../views/settings.js"),
};

export const FIRST_VIEW = "records";

/** What an address asks for. */
export function parse(location = window.location) {
  const segments = location.pathname.slice(BASE.length).split("/").filter(Boolean).map(decode);
  const query = new URLSearchParams(location.search);
  const [first, ...rest] = segments;
  if (Object.hasOwn(GATES, first ?? "")) return { kind: "gate", name: first, load: GATES[first], rest, query };
  if (Object.hasOwn(PLAIN, first ?? "")) return { kind: "plain", name: first, load: PLAIN[first], rest, query };
  if (first === "c" && rest.length >= 2 && ENVIRONMENTS.includes(rest[1])) {
    const [container, environment, view = FIRST_VIEW, ...more] = rest;
    if (Object.hasOwn(VIEWS, view)) {
      return { kind: "view", name: view, load: VIEWS[view], container, environment, rest: more, query };
    }
  }
  return { kind: segments.length === 0 ? "home" : "nowhere", rest: segments, query };
}

/** The address of a view in a container. */
export function addressOf(container, environment, view, query = {}, ...rest) {
  const parts = ["c", container, environment, view, ...rest].map(encodeURIComponent).join("/");
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return BASE + parts + (parameters ? `?${parameters}` : "");
}

/** The address of a page that is in no container. */
export const plainAddress = (name, ...rest) => BASE + [name, ...rest].map(encodeURIComponent).join("/");

let show = () => {};
/** What may hold the present view: each says whether it does, and asks whether it has to. */
const guards = new Set();
/** Where the present view stands in the browser's history, counted from the first one of this page. */
let position = 0;
/** The address of what is shown. */
let shown = null;
let isAsking = false;
let isAllowed = false;
/** Called when the browser is back at a view that is held. */
let whenBack = null;
/** What the present view does with another query of its address. */
let adopt = null;
/** Resolves when the browser has gone back as a view asked it to. */
let returning = null;

const here = () => window.location.pathname + window.location.search;

/**
 * Holds the present view until the signal ends it: it is not left by a link, a choice, or a way back or forth without a
 * question.
 * @param {{isHeld: function(): boolean, ask: function(): Promise<boolean>}} keeper
 */
export function guard(keeper, signal) {
  guards.add(keeper);
  signal.addEventListener("abort", () => guards.delete(keeper));
}

const isHeld = () => [...guards].some((keeper) => keeper.isHeld());

/** Whether nothing, or nobody who was asked, holds the present view. While somebody is asked, it is held. */
async function mayLeave() {
  if (isAsking) return false;
  isAsking = true;
  try {
    for (const keeper of [...guards].reverse()) if (!await keeper.ask()) return false;
    return true;
  } finally {
    isAsking = false;
  }
}

/** Shows what the address asks for, now and whenever it changes. */
export function start(act) {
  show = act;
  position = history.state?.position ?? 0;
  history.replaceState({ ...history.state, position }, "");
  window.addEventListener("popstate", ({ state }) => travel(state?.position));
  document.addEventListener("click", follow);
  return showHere();
}

/**
 * Lets the present view take up another query of its address, when the browser goes back or forward, until the signal
 * ends it.
 * @param {function(URLSearchParams): boolean} act false if the view has to be shown anew
 */
export function adoptQueries(act, signal) {
  adopt = act;
  signal.addEventListener("abort", () => { if (adopt === act) adopt = null; });
}

/** Goes to an address of the console. */
export async function go(address, { replaces = false } = {}) {
  await returning;
  if (!replaces && !await mayLeave()) return undefined;
  if (replaces) {
    history.replaceState({ position }, "", address);
  } else {
    position += 1;
    history.pushState({ position }, "", address);
  }
  return showHere();
}

/**
 * Changes the query of the address without leaving the view.
 * @param {{pushes?: boolean, depth?: number}} [options] `pushes`: the browser's way back leads to the present query;
 *   `depth`: how many steps back the view can go by `goBack`
 */
export function note(query, { pushes = false, depth = 0 } = {}) {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  const address = window.location.pathname + (parameters ? `?${parameters}` : "");
  if (pushes) {
    position += 1;
    history.pushState({ position, depth }, "", address);
  } else {
    history.replaceState({ position, depth }, "", address);
  }
  shown = here();
}

/** How many steps back the present view has noted that it can go. */
export const depth = () => history.state?.depth ?? 0;

/** Goes back in the present view, to an entry that `note` has made. */
export function goBack(steps) {
  returning ??= new Promise((done) => {
    window.addEventListener("popstate", () => {
      returning = null;
      done();
    }, { once: true });
  });
  history.go(-steps);
  return returning;
}

function showHere() {
  shown = here();
  return show(parse());
}

/** The browser has gone back or forth, and cannot be kept from it: if the view is held, it returns there and asks. */
async function travel(target) {
  if (target === undefined) {
    // A link to a part of the page: the browser has made an entry of its own.
    target = position + 1;
    history.replaceState({ position: target }, "");
  }
  const steps = target - position;
  // The same view at another of its parts, or the way back to a view that is held.
  if (steps === 0 || here() === shown) {
    position = target;
    whenBack?.();
    return;
  }
  if (!isAllowed && isHeld()) {
    history.go(-steps);
    if (whenBack || isAsking) return;
    await new Promise((done) => { whenBack = done; });
    whenBack = null;
    if (!await mayLeave()) return;
    isAllowed = true;
    history.go(steps);
    return;
  }
  isAllowed = false;
  position = target;
  const isSameView = shown.split("?")[0] === window.location.pathname;
  if (isSameView && adopt?.(new URLSearchParams(window.location.search))) {
    shown = here();
    return;
  }
  await showHere();
}

/** Links to the console's own views change the view, unless they are opened elsewhere. */
function follow(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target.closest?.("a[href]");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== window.location.origin) return;
  if (!link.pathname.startsWith(BASE) || link.pathname.startsWith(`${BASE}api/`) || link.hash) return;
  event.preventDefault();
  go(link.pathname + link.search);
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Finds the view of an address, and keeps the browser's history. Addresses are below `/console/`. */

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

/** The route of an address. */
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
/** Guards of the current view: each says whether leaving needs a question, and asks it. */
const guards = new Set();
/** The position of the current view in the browser's history, counted from the first one of this page. */
let position = 0;
/** The address of the view that is shown. */
let shown = null;
let isAsking = false;
let isAllowed = false;
/** Called when the browser has returned to a guarded view. */
let whenBack = null;
/** Takes up another query in the current view. */
let adopt = null;
/** Resolves when the browser has gone back as a view asked it to. */
let returning = null;

const here = () => window.location.pathname + window.location.search;

/**
 * Guards the current view until the signal is aborted: it is not left by a link or the browser's back and forward
 * buttons without a question.
 * @param {{isHeld: function(): boolean, ask: function(): Promise<boolean>}} keeper
 */
export function guard(keeper, signal) {
  guards.add(keeper);
  signal.addEventListener("abort", () => guards.delete(keeper));
}

const isHeld = () => [...guards].some((keeper) => keeper.isHeld());

/** Asks all guards whether the view can be left. It cannot while a question is open. */
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

/** Shows the view of the address, now and whenever the address changes. */
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

/** Follows the browser's back and forward buttons. A guarded view is returned to first, and then the guards ask. */
async function travel(target) {
  if (target === undefined) {
    // A link to a part of the page: the browser has created an entry of its own.
    target = position + 1;
    history.replaceState({ position: target }, "");
  }
  const steps = target - position;
  // Another part of the same view, or the return to a guarded view.
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

/** Follows links to the console's views without loading the page, unless they open in another tab. */
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

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
let mayLeave = null;

/** Asks `act` before the present view is left by a link or a choice, until the signal ends it. */
export function guard(act, signal) {
  mayLeave = act;
  signal.addEventListener("abort", () => { if (mayLeave === act) mayLeave = null; });
}

/** Shows what the address asks for, now and whenever it changes. */
export function start(act) {
  show = act;
  window.addEventListener("popstate", () => show(parse()));
  document.addEventListener("click", follow);
  return show(parse());
}

/** Goes to an address of the console. */
export async function go(address, { replaces = false } = {}) {
  if (!replaces && mayLeave && !await mayLeave()) return undefined;
  if (replaces) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  return show(parse());
}

/** Changes the query of the address without leaving the view. */
export function note(query) {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  history.replaceState(null, "", window.location.pathname + (parameters ? `?${parameters}` : ""));
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

/** The state that all views share: who is signed in, and which container is shown. */

const listeners = new Set();

export const state = {
  /** `{needsSetUp, developer, version}` from the server; null before its first answer. */
  session: null,
  /** `[{id, role}]` */
  containers: [],
  /** The container and environment of the view that is shown. */
  container: null,
  environment: "development",
  /** A test account that the developer acts as in this container's development: `{userRecordName, email}`. */
  actingAs: null,
};

/** Changes some of the state, and calls the listeners. */
export function update(changes) {
  if ("container" in changes && changes.container !== state.container) state.actingAs = null;
  if (changes.environment === "production") state.actingAs = null;
  Object.assign(state, changes);
  for (const listener of [...listeners]) listener(state);
}

export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The developer's role in the present container: `admin`, `developer` or `viewer`. */
export function role() {
  if (state.session?.developer?.owner) return "admin";
  return state.containers.find((container) => container.id === state.container)?.role ?? "viewer";
}

export const isAdmin = () => role() === "admin";

/** Whether the developer can change data. The server decides; the page only hides what it would refuse. */
export const mayWrite = () => role() !== "viewer";

/** Whether the developer can change the settings of an environment: its schema's history, roles, tokens, webhooks. */
export const mayManage = () => (state.environment === "production" ? isAdmin() : mayWrite());

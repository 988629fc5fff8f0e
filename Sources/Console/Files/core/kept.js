/** What this browser keeps of a developer's choices in a container: columns and saved queries, nothing of records. */

import { state } from "./state.js";

const keyOf = (name) => `stratus:${state.session?.developer?.id}:${state.container}:${name}`;

/** What was kept under a name; `fallback` if nothing was, or the browser keeps nothing. */
export function kept(name, fallback) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name))) ?? fallback;
  } catch {
    return fallback;
  }
}

/**
 * Keeps a value under a name; null removes it.
 * @returns {boolean} whether the browser has kept it
 */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(keyOf(name));
    else localStorage.setItem(keyOf(name), JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** What is not saved yet is not left by accident. */

import { confirm } from "./dialog.js";
import { guard } from "./router.js";

/**
 * Asks before the view, or the page, is left while `isChanged` says that something would be lost, until the signal ends
 * it.
 * @returns {function(): Promise<boolean>} asks now; whether it may be left
 */
export function keepUnsaved(isChanged, what, signal) {
  const ask = async () => !isChanged() || confirm({
    title: "Leave without saving?",
    text: `Your changes in ${what} will be lost.`,
    action: "Leave",
  });
  window.addEventListener("beforeunload", (event) => { if (isChanged()) event.preventDefault(); }, { signal });
  guard({ isHeld: () => Boolean(isChanged()), ask }, signal);
  return ask;
}

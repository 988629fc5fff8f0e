/** Asks before unsaved changes, or work that is under way, are left. */

import { confirm } from "./dialog.js";
import { guard } from "./router.js";

/** The question before work is left that goes on record by record. */
export const WORK_UNDER_WAY = { title: "Stop and leave?", text: "Records that were not changed yet stay as they are." };

/**
 * Asks before the view, or the page, is left while `isChanged` says that something would be lost, until the signal ends
 * it.
 * @param {{title: string, text: string}} [words] the question, where it is not about unsaved changes of `what`
 * @returns {function(): Promise<boolean>} asks now; whether it may be left
 */
export function keepUnsaved(isChanged, what, signal, words = {}) {
  const ask = async () => !isChanged() || confirm({
    title: "Leave without saving?",
    text: `Your changes in ${what} will be lost.`,
    action: "Leave",
    ...words,
  });
  window.addEventListener("beforeunload", (event) => { if (isChanged()) event.preventDefault(); }, { signal });
  guard({ isHeld: () => Boolean(isChanged()), ask }, signal);
  return ask;
}

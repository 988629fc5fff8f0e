/** What is not saved yet is not left by accident. */

import { confirm } from "./dialog.js";
import { guard } from "./router.js";

/** Asks before the view, or the page, is left while `isChanged` says that something would be lost. */
export function keepUnsaved(isChanged, what, signal) {
  window.addEventListener("beforeunload", (event) => { if (isChanged()) event.preventDefault(); }, { signal });
  guard(() => !isChanged() || confirm({
    title: "Leave without saving?",
    text: `What you changed in ${what} is lost.`,
    action: "Leave",
  }), signal);
}

/** What happens after a sign-in. */

import { get } from "./api.js";
import { go } from "./router.js";
import { update } from "./state.js";

/** Takes up a new session, and goes to the page that was asked for. */
export async function entered(session, next) {
  const { containers } = await get("containers");
  update({ session, containers });
  // Only addresses of the console: a link must not redirect a sign-in elsewhere.
  const isOwn = typeof next === "string" && next.startsWith("/console/") && !next.startsWith("/console/sign-in");
  await go(isOwn ? next : "/console/", { replaces: true });
}

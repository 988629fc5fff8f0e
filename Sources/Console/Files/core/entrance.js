/** What follows when somebody has come in. */

import { get } from "./api.js";
import { go } from "./router.js";
import { update } from "./state.js";

/** Takes up the session that an answer told, and goes to where the person wanted to. */
export async function entered(session, next) {
  const { containers } = await get("containers");
  update({ session, containers });
  // Only addresses of the console itself: whoever makes a link must not say where a sign-in leads.
  const isOwn = typeof next === "string" && next.startsWith("/console/") && !next.startsWith("/console/sign-in");
  await go(isOwn ? next : "/console/", { replaces: true });
}

/** The page of an invitation to a team, or to own the server. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { entered } from "../core/entrance.js";
import { Form } from "../core/form.js";
import { gate } from "../core/gate.js";
import { emailField, nameField, newPasswordField, passwordField } from "../core/person-fields.js";
import { plainAddress } from "../core/router.js";
import { state } from "../core/state.js";

export const title = "Invitation";

const ROLES = { admin: "an admin", developer: "a developer", viewer: "a viewer" };

export async function show(page) {
  const where = api.path(
    "invitations",
    decodeURIComponent(window.location.hash.slice(1)) || (page.route.rest[0] ?? ""),
  );
  let invitation;
  try {
    invitation = await api.get(where, { signal: page.signal, isEntrance: true });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    gate(page, {
      title: "This invitation is not valid", lead: error.message,
      content: h("a", { class: "button", href: plainAddress("sign-in"), text: "Sign in" }),
    });
    return;
  }
  const isNew = invitation.needsAccount !== false;
  const isSignedIn = state.session?.developer && state.session.developer.email === invitation.email;
  const email = emailField({ value: invitation.email ?? "", isFixed: !isNew });
  const name = nameField();
  const password = isNew ? newPasswordField() : passwordField({ hint: "The password of your developer account." });
  const fields = isSignedIn ? [] : isNew ? [name, email, password] : [email, password];
  const form = new Form({
    fields, content: fields.map((field) => field.element),
    actions: [button("Accept", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const session = await api.post(where, values, { signal: page.signal, isEntrance: true });
      await entered(session);
    },
  });
  const who = invitation.invitedBy ? `${invitation.invitedBy} invites you` : "You are invited";
  const what = invitation.owner ? "to become an owner of this server" : invitation.container
    ? `as ${ROLES[invitation.role] ?? invitation.role} of ${invitation.container}` : "to this server";
  gate(page, { title: "Join the team", lead: `${who} ${what}.`, content: form.element });
  (isSignedIn ? form.element.querySelector("button") : (isNew ? name : password).input).focus();
}

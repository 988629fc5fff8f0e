/** The sign-in of developers. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { entered } from "../core/entrance.js";
import { checkbox, Form } from "../core/form.js";
import { gate } from "../core/gate.js";
import { emailField, passwordField } from "../core/person-fields.js";

export const title = "Sign in";

export function show(page) {
  // The server does not say which of both is wrong.
  const email = emailField({ about: null });
  const password = passwordField({ about: /password is wrong/i });
  const stay = checkbox("Stay signed in", {
    name: "staysSignedIn",
    hint: "For 30 days in this browser. Otherwise you are signed out when it closes, or after 12 hours.",
  });
  const form = new Form({
    fields: [email, password], content: [email.element, password.element, stay.element],
    actions: [button("Sign in", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const words = { ...values, staysSignedIn: stay.input.checked };
      const session = await api.post("sign-in", words, { isEntrance: true, signal: page.signal });
      await entered(session, page.query.get("next"));
    },
  });
  gate(page, { title: "Sign in", lead: "Use your developer account.", content: form.element });
  email.input.focus();
}

/** Signing in as a developer. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { entered } from "../core/entrance.js";
import { Form } from "../core/form.js";
import { gate } from "../core/gate.js";
import { emailField, passwordField } from "../core/person-fields.js";

export const title = "Sign in";

export function show(page) {
  // What is wrong stands beside the password: which of both it is, nobody is told.
  const email = emailField({ about: null });
  const password = passwordField({ about: /password is wrong/i });
  const form = new Form({
    fields: [email, password], content: [email.element, password.element],
    actions: [button("Sign in", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const session = await api.post("sign-in", values, { isEntrance: true, signal: page.signal });
      await entered(session, page.query.get("next"));
    },
  });
  gate(page, { title: "Sign in", lead: "to the console, with your developer account", content: form.element });
  email.input.focus();
}

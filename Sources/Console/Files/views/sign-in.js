/** Signing in as a developer. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { entered } from "../core/entrance.js";
import { Field, Form } from "../core/form.js";
import { gate } from "../core/gate.js";

export const title = "Sign in";

export function show(page) {
  const email = new Field({
    label: "E-mail address",
    name: "email",
    inputmode: "email",
    autocomplete: "username",
    autocapitalize: "none",
    spellcheck: "false",
    required: true,
  });
  const password = new Field({
    label: "Password",
    about: /password is wrong/i,
    name: "password",
    type: "password",
    autocomplete: "current-password",
    required: true,
  });
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

/** The first run: whoever can read what the server printed becomes its owner. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { entered } from "../core/entrance.js";
import { Field, Form } from "../core/form.js";
import { gate, PASSWORD_HINT } from "../core/gate.js";

export const title = "Set up";

export function show(page) {
  const code = new Field({
    label: "Set-up code", about: /\bcode\b/i, name: "code", isCode: true, autocomplete: "one-time-code", required: true,
    hint: "The server printed it when it started. “stratus developer invite --owner” makes another.",
    value: decodeURIComponent(window.location.hash.slice(1)),
  });
  const name = new Field({
    label: "Your name",
    about: /\bname\b/i,
    name: "name",
    autocomplete: "name",
    required: true,
  });
  const email = new Field({
    label: "E-mail address",
    about: /e-mail/i,
    name: "email",
    inputmode: "email",
    autocomplete: "username",
    autocapitalize: "none",
    spellcheck: "false",
    required: true,
  });
  const password = new Field({
    label: "Password",
    about: /password/i,
    name: "password",
    type: "password",
    autocomplete: "new-password",
    required: true,
    hint: PASSWORD_HINT,
  });
  const form = new Form({
    fields: [code, name, email, password], content: [code.element, name.element, email.element, password.element],
    actions: [button("Set up", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const session = await api.post(
        "set-up",
        { ...values, code: values.code.trim() },
        { isEntrance: true, signal: page.signal },
      );
      await entered(session);
    },
  });
  gate(page, {
    title: "Welcome to Stratus",
    lead: "Make the account that owns this server. It can make containers and invite others.",
    content: form.element,
  });
  (code.value ? name : code).input.focus();
}

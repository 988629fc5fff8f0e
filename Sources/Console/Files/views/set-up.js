/** The first run: whoever has the code that the server printed becomes its owner. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { entered } from "../core/entrance.js";
import { Field, Form } from "../core/form.js";
import { gate } from "../core/gate.js";
import { emailField, nameField, newPasswordField } from "../core/person-fields.js";

export const title = "Set up";

export function show(page) {
  const code = new Field({
    label: "Set-up code", about: /\bcode\b/i, name: "code", isCode: true, autocomplete: "one-time-code", required: true,
    hint: "The server printed it when it started. “stratus developer invite --owner” creates another.",
    value: decodeURIComponent(window.location.hash.slice(1)),
  });
  const [name, email, password] = [nameField(), emailField(), newPasswordField()];
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
    lead: "Create the account that owns this server. It can create containers and invite others.",
    content: form.element,
  });
  (code.value ? name : code).input.focus();
}

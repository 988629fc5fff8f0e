/** One's own password. */

import * as api from "../core/api.js";
import { button, open, toast } from "../core/dialog.js";
import { Field, Form } from "../core/form.js";
import { PASSWORD_HINT } from "../core/gate.js";
import { update } from "../core/state.js";

export function changePassword() {
  const current = new Field({
    label: "Current password",
    name: "current",
    type: "password",
    autocomplete: "current-password",
    required: true,
    about: /wrong/i,
  });
  const next = new Field({
    label: "New password",
    name: "new",
    type: "password",
    autocomplete: "new-password",
    required: true,
    about: /password/i,
    hint: PASSWORD_HINT,
  });
  const form = new Form({
    fields: [current, next],
    content: [current.element, next.element],
    actions: [button("Change password", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      update({ session: await api.post("password", values, { isEntrance: true }) });
      dialog.close();
      toast("Your password is changed. Other browsers are signed out.");
    },
  });
  const dialog = open({ title: "Change password", content: form.element });
  current.input.focus();
}

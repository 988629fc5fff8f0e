/** Changes the developer's own password. */

import * as api from "../core/api.js";
import { button, open, toast } from "../core/dialog.js";
import { Form } from "../core/form.js";
import { newPasswordField, passwordField } from "../core/person-fields.js";
import { update } from "../core/state.js";

export function changePassword() {
  const current = passwordField({ label: "Current password", name: "current", about: /wrong/i });
  const next = newPasswordField({ label: "New password", name: "new" });
  const form = new Form({
    fields: [current, next],
    content: [current.element, next.element],
    actions: [button("Change password", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      update({ session: await api.post("password", values, { isEntrance: true }) });
      dialog.close();
      toast("Your password was changed. Other browsers are signed out.");
    },
  });
  const dialog = open({ title: "Change password", content: form.element });
  current.input.focus();
}

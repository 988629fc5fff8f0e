/** The inputs of sign-ins, new accounts and passwords. */

import { Field } from "./form.js";

export const nameField = () => new Field({
  label: "Your name",
  about: /\bname\b/i,
  name: "name",
  autocomplete: "name",
  required: true,
});

/** A fixed value tells password managers whose password is asked for. */
export const emailField = ({ value = "", isFixed = false, about = /e-mail/i } = {}) => new Field({
  label: "E-mail address",
  about,
  name: "email",
  inputmode: "email",
  autocomplete: "username",
  autocapitalize: "none",
  spellcheck: "false",
  required: true,
  value,
  readonly: isFixed,
});

/** An existing password. */
export const passwordField = ({ label = "Password", name = "password", hint, about = /password/i } = {}) => new Field({
  label,
  about,
  name,
  type: "password",
  autocomplete: "current-password",
  required: true,
  hint,
});

/** A new password. The server checks it. */
export const newPasswordField = ({ label = "Password", name = "password" } = {}) => new Field({
  label,
  about: /password/i,
  name,
  type: "password",
  autocomplete: "new-password",
  required: true,
  hint: "Use a long password, such as several unrelated words.",
});

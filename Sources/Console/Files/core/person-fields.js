/** The inputs by which somebody says who they are: those of signing in, of new accounts and of passwords. */

import { Field } from "./form.js";

export const nameField = () => new Field({
  label: "Your name",
  about: /\bname\b/i,
  name: "name",
  autocomplete: "name",
  required: true,
});

/** With a value that cannot be changed, it tells password managers whose password is asked for. */
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

/** The password that somebody has. */
export const passwordField = ({ label = "Password", name = "password", hint, about = /password/i } = {}) => new Field({
  label,
  about,
  name,
  type: "password",
  autocomplete: "current-password",
  required: true,
  hint,
});

/** A password that somebody chooses. Nothing too short is taken; the server says what else is wrong with one. */
export const newPasswordField = ({ label = "Password", name = "password" } = {}) => new Field({
  label,
  about: /password/i,
  name,
  type: "password",
  autocomplete: "new-password",
  required: true,
  hint: "Choose a long one. A few words that do not belong together are good.",
});

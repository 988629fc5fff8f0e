/** Dialogs, and the short messages that say what was done. All are the browser's own `dialog`: it keeps the focus
 * inside and gives it back. */

import { h, identifier, replace } from "./dom.js";
import { icon } from "./icons.js";
import { Field, Form } from "./form.js";

/** The open dialogs, the last one on top. */
const shown = new Set();

/** Closes all dialogs without asking. */
export function closeAll() {
  for (const close of [...shown].reverse()) close();
}

/**
 * Shows a dialog.
 * @param {{title: string, content: Node|Node[], actions?: Node[], kind?: "dialog"|"drawer"|"wide",
 *   onClose?: function}} parts
 * @returns {{element: HTMLDialogElement, close: function, closed: Promise}}
 */
export function open({ title, content, actions = [], kind = "dialog", onClose, mayClose = () => true }) {
  const label = identifier("title");
  const body = h("div", { class: "dialog-body" }, content);
  const element = h(
    "dialog", { class: kind, "aria-labelledby": label },
    h("div", { class: "dialog-frame" },
      h("div", { class: "dialog-head" },
        // Long names are cut on small screens.
        h("h2", { id: label, text: title, title }),
        h("button", {
          type: "button", class: "button quiet square", "aria-label": "Close", on: { click: () => dismiss() },
        }, icon("close"))),
      body,
      actions.length ? h("div", { class: "dialog-foot" }, actions) : null));
  let settle;
  const closed = new Promise((done) => { settle = done; });
  const close = (result) => {
    if (!element.open) return;
    shown.delete(forget);
    element.close();
    element.remove();
    onClose?.(result);
    settle(result);
  };
  const forget = () => close();
  const dismiss = async () => { if (await mayClose()) close(); };
  element.addEventListener("cancel", (event) => {
    event.preventDefault();
    dismiss();
  });
  // A click outside of the dialog closes it, but not one whose press began inside.
  let began = null;
  element.addEventListener("pointerdown", (event) => { began = event.target; });
  element.addEventListener("click", (event) => {
    // The second press of a double click belongs to what opened the dialog.
    if (event.target === element && began === element && event.detail < 2) dismiss();
  });
  document.body.append(element);
  element.showModal();
  shown.add(forget);
  return { element, body, close, closed };
}

export const button = (label, properties = {}, iconName) =>
  h("button", { type: "button", ...properties, class: `button ${properties.class ?? ""}`.trim() },
    iconName ? icon(iconName) : null, h("span", { text: label }));

/**
 * Asks for confirmation.
 * @returns {Promise<boolean>}
 */
export async function confirm({ title, text, action }) {
  const yes = button(action, { class: "primary" });
  const no = button("Cancel");
  const dialog = open({ title, content: h("p", { text }), actions: [no, yes] });
  no.addEventListener("click", () => dialog.close(false));
  yes.addEventListener("click", () => dialog.close(true));
  yes.focus();
  return (await dialog.closed) === true;
}

/**
 * Asks for the name of what is to be deleted, and deletes it while the dialog shows the progress.
 * @param {{title: string, text: string, name: string, action: string, perform: function(): Promise,
 *   details?: Node, busy?: string}} parts `details` show what else is deleted; `busy` is shown
 *   while it is done, where that can take long
 * @returns {Promise<boolean>} whether it was done
 */
export async function confirmByName({ title, text, name, action, perform, details, busy }) {
  const field = new Field({
    label: ["Type ", h("code", { class: "to-type", text: name }), " to confirm"],
    name: "confirm", autocomplete: "off", isCode: true,
  });
  const submit = button(action, { class: "danger", type: "submit", disabled: true }, "remove");
  const cancel = button("Cancel");
  field.input.addEventListener("input", () => { submit.disabled = field.value.trim() !== name; });
  const work = h("div", { hidden: true });
  const form = new Form({
    fields: [field], content: [h("p", { text }), details, field.element, work], actions: [cancel, submit],
    submit: async () => {
      if (field.value.trim() !== name) return;
      if (busy) replace(work, progress(busy).element);
      work.hidden = !busy;
      try {
        await perform();
      } finally {
        work.hidden = true;
      }
      dialog.close(true);
    },
  });
  const dialog = open({ title, content: form.element });
  cancel.addEventListener("click", () => dialog.close(false));
  field.input.focus();
  return (await dialog.closed) === true;
}

/** Shows a secret that is shown only once, with a button to copy it. */
export function showSecret({ title, text, secrets }) {
  const done = button("Done", { class: "primary" });
  const dialog = open({
    title, actions: [done],
    content: [h("p", { text }), secrets.map(({ label, value }) => secret(label, value))],
    mayClose: () => true,
  });
  done.addEventListener("click", () => dialog.close());
  done.focus();
  return dialog.closed;
}

function secret(label, value) {
  const shown = h("code", { class: "secret-value", tabindex: "0", text: value });
  return h("div", { class: "secret" },
    h("div", { class: "label", text: label }),
    h("div", { class: "secret-row" }, shown, copyable(value, shown)));
}

/** A button that copies a text. If the browser does not allow that, the text that is shown is selected. */
export function copyable(text, shown, { label = "Copy", ...properties } = {}) {
  return button(label, { ...properties, on: { click: async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast("Copied.");
    } catch {
      const range = document.createRange();
      range.selectNodeContents(shown);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }
  } } }, "copy");
}

/** Shows a message for a few seconds, also to screen readers. */
export function toast(text, { isProblem = false } = {}) {
  const message = h("div", { class: `toast${isProblem ? " problem" : ""}` }, icon(isProblem ? "warning" : "check"),
    h("span", { text }));
  const toasts = document.getElementById("toasts");
  toasts.append(message);
  // Shown again, it is above the dialogs that were opened meanwhile.
  toasts.popover = "manual";
  toasts.hidePopover();
  toasts.showPopover();
  setTimeout(() => message.remove(), isProblem ? 9000 : 5000);
  while (toasts.children.length > 4) toasts.firstChild.remove();
}

/** Shows the progress of long work. */
export function progress(label) {
  const bar = h("progress", { max: "1" });
  const text = h("span", { class: "progress-text", text: label });
  const element = h("div", { class: "progress", role: "status" }, text, bar);
  return {
    element,
    set(share, words) {
      if (share === null) bar.removeAttribute("value");
      else bar.value = share;
      if (words) replace(text, words);
    },
  };
}

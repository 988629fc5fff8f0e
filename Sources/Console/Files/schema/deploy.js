/** Deploys development's schema to production: shows the difference, offers a dry run, and deploys. Also resets
 * development. */

import * as api from "../core/api.js";
import { button, confirm, confirmByName, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { Field, Form } from "../core/form.js";
import { plural } from "../core/format.js";
import { empty, loaded, notice } from "../core/parts.js";
import { addressOf, go } from "../core/router.js";
import { isAdmin, state } from "../core/state.js";
import { diff } from "./diff.js";

export async function show(page) {
  const place = loaded(
    page,
    () => api.get(api.inContainer("schema", "diff"), { signal: page.signal }),
    (answer) => content(answer, () => place.reload()),
  );
  page.root.append(place.element);
  await place.reload();
}

function content({ changes, text, kept = [], obstacle }, reload) {
  const parts = [];
  if (obstacle) {
    parts.push(notice(`This cannot be deployed. ${api.sentence(obstacle)}`, { kind: "problem" }));
    parts.push(differences("Differences", changes));
  } else if (changes.length === 0) {
    parts.push(h(
      "div",
      { class: "card" },
      empty({ iconName: "check", title: "Production is up to date", text: "It has everything that development has." }),
    ));
  } else {
    parts.push(differences("Missing in production", changes));
    parts.push(isAdmin() ? deployment(changes, text, reload) : notice("Only admins of the team can deploy."));
  }
  if (kept.length > 0) {
    const reason = "These parts are not in development. A deployment does not remove them.";
    parts.push(differences("Only in production", kept, "part", reason));
  }
  if (isAdmin()) parts.push(resetting());
  return h("div", { class: "stack" }, parts);
}

function differences(title, changes, unit = "change", hint = null) {
  return h("section", { class: "card", "aria-label": title },
    h(
      "div",
      { class: "card-head" },
      h("div", { class: "grow words" }, h("h2", { text: title }), hint ? h("p", { class: "hint", text: hint }) : null),
      h("span", { class: "hint", text: plural(changes.length, unit) }),
    ),
    h("div", { class: "card-body" }, diff(changes)));
}

function deployment(changes, text, reload) {
  const name = new Field({
    label: "Name",
    name: "name",
    isOptional: true,
    autocomplete: "off",
    hint: "Shown in the history, such as the version of your app.",
  });
  const result = h("div", { "aria-live": "polite" });
  const trial = button("Dry run", { on: { click: async () => {
    trial.classList.add("busy");
    try {
      const answer = await api.post(api.inContainer("schema", "deploy"), { dryRun: true });
      const counts = Object.entries(answer.recordsToIndex ?? {}).filter(([, count]) => count > 0);
      const records = counts.map(([type, count]) => `${plural(count, "record")} of ${type}`).join(", ");
      replace(result, notice(counts.length
        ? `The deployment would succeed. It builds indexes of ${records} in the background. `
          + "Queries that need them are refused until they are complete."
        : "The deployment would succeed. It builds no indexes.", { kind: "good", iconName: "check" }));
    } catch (error) {
      replace(result, notice(error.message, { kind: "problem" }));
    } finally {
      trial.classList.remove("busy");
    }
  } } });
  const form = new Form({
    fields: [name],
    content: [name.element, result],
    actions: [trial, button("Deploy to production", { class: "primary", type: "submit" })],
    submit: async ({ values }) => {
      const isSure = await confirm({
        title: "Deploy to production?", action: "Deploy",
        text: `Deploys ${plural(changes.length, "change")} to ${state.container} at once. `
          + "Nothing is removed in production. You can roll back additions only while nothing uses them.",
      });
      if (!isSure) return;
      const body = { expecting: text, ...(values.name.trim() ? { name: values.name.trim() } : {}) };
      try {
        await api.post(api.inContainer("schema", "deploy"), body);
      } catch (error) {
        if (error.status !== 409) throw error;
        // Somebody changed development meanwhile: what would be deployed now is to be seen first.
        toast(error.message, { isProblem: true });
        return reload();
      }
      toast("Deployed to production.");
      return reload();
    },
  });
  return h(
    "section",
    { class: "card", "aria-label": "Deploy" },
    h("div", { class: "card-head" }, h("h2", { text: "Deploy" })),
    h("div", { class: "card-body" }, form.element),
  );
}

function resetting() {
  const reset = button("Reset development", { class: "danger-quiet", on: { click: async () => {
    const isDone = await confirmByName({
      title: "Reset development?",
      text: "This deletes all data of all users in the development environment and gives it production's schema. "
        + "It cannot be undone.",
      name: state.container,
      action: "Reset",
      busy: "Deleting development's data, database by database",
      perform: () => api.post(
        api.path("c", state.container, "development", "schema", "reset"),
        { confirm: state.container },
      ),
    });
    if (!isDone) return;
    toast("Development was reset.");
    await go(addressOf(state.container, "development", "schema"));
  } } }, "remove");
  return h("section", { class: "card", "aria-label": "Reset" }, h("div", { class: "card-body row" },
    h(
      "div",
      { class: "grow words" },
      h("h2", { text: "Reset development" }),
      h("p", { class: "hint", text: "Deletes development's data and gives it production's schema." }),
    ),
    reset));
}

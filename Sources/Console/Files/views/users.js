/** How many people use the app, and those who chose to be discoverable. */

import * as api from "../core/api.js";
import { button } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { number } from "../core/format.js";
import { empty, head, loaded, table } from "../core/parts.js";

export const title = "Users";

export async function show(page) {
  let people = [];
  let after;
  let counts = {};
  const load = async () => {
    const answer = await api.get(api.inEnvironment("users"), { query: { after }, signal: page.signal });
    // Only the first page has the counts.
    if (!after) counts = answer;
    people = people.concat(answer.discoverable);
    after = answer.next;
    return answer;
  };
  const place = loaded(page, load, (users) => h("div", { class: "stack" },
    h(
      "div",
      { class: "figures" },
      figure("All", counts.all, "signed in at least once"),
      figure("Today", counts.day, "active in the last day"),
      figure("This week", counts.week, "active in 7 days"),
      figure("This month", counts.month, "active in 30 days"),
    ),
    h("section", { class: "card", "aria-label": "Discoverable users" },
      h(
        "div",
        { class: "card-head" },
        h(
          "div",
          {},
          h("h2", { text: "Discoverable users" }),
          h("p", { class: "hint", text: "People who chose to be discoverable, and the name they chose to show." }),
        ),
      ),
      people.length ? [table({
        label: "People", columns: [{ name: "Name", class: "main" }, { name: "User record name" }],
        rows: people.map((person) => [
          person.name || h("span", { class: "soft", text: "no name" }),
          h("code", { class: "soft", text: person.userRecordName }),
        ]),
      }), users.next ? h("div", { class: "grid-foot" }, button("More",
      { on: { click: () => place.reload() } },
      "down")) : null] : empty({
        iconName: "users",
        title: "No discoverable users",
        text: "Nobody has chosen to be discoverable in this app.",
      }))));
  page.root.append(
    head({
      title: "Users",
      lead: "How many people use the app. People are named only if they chose to be discoverable.",
    }),
    place.element,
  );
  await place.reload();
}

const figure = (label, value, words) => h(
  "div",
  { class: "card figure" },
  h("div", { class: "label", text: label }),
  h("div", { class: "value", text: number(value ?? 0) }),
  h("small", { text: words }),
);

/** The frame around the views: navigation, container, environment, and the developer. */

import * as api from "./core/api.js";
import { toast } from "./core/dialog.js";
import { h, replace } from "./core/dom.js";
import { cloud, icon } from "./core/icons.js";
import { addressOf, go, plainAddress } from "./core/router.js";
import { isAdmin, listen, state, update } from "./core/state.js";

const GROUPS = [
  [
    "Data",
    [
      ["records", "Records"],
      ["zones", "Zones"],
      ["changes", "Changes"],
      ["subscriptions", "Subscriptions"],
      ["pushes", "Pushes"],
    ],
  ],
  ["Design", [["schema", "Schema"], ["roles", "Roles"]]],
  ["Insight", [["telemetry", "Telemetry"], ["log", "Log"], ["users", "Users"]]],
  [
    "Access",
    [
      ["tokens", "Tokens and keys"],
      ["webhooks", "Webhooks"],
      ["team", "Team"],
      ["test-accounts", "Test accounts"],
      ["settings", "Settings"],
    ],
  ],
];

export class Shell {
  constructor() {
    this.content = h("main", { id: "content", class: "content", tabindex: "-1" });
    this.nav = h("nav", { class: "side-nav", "aria-label": "Views" });
    this.place = h("div", { class: "place" });
    this.person = h("div", { class: "person" });
    this.banner = h("div", { class: "banner-place" });
    this.side = h("aside", { class: "side", id: "side" },
      h("a", { class: "brand", href: plainAddress("containers") }, cloud(), h("span", { text: "Stratus" })),
      this.place, this.nav, this.person);
    const menu = h("button", {
      type: "button", class: "button quiet square menu-button", "aria-label": "Menu", "aria-expanded": "false",
      "aria-controls": "side", on: { click: () => this.toggle() },
    }, icon("menu"));
    this.menu = menu;
    this.where = h("div", { class: "where" });
    this.veil = h("div", { class: "veil", on: { click: () => this.toggle(false) } });
    this.element = h("div", { class: "shell" },
      h("header", { class: "top" }, menu, this.where),
      this.side,
      this.veil,
      h("div", { class: "stage" }, this.banner, this.content));
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.element.classList.contains("open")) this.toggle(false);
    });
    listen(() => this.draw());
  }

  toggle(isOpen = !this.element.classList.contains("open")) {
    this.element.classList.toggle("open", isOpen);
    this.menu.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.side.querySelector("select, a[aria-current]")?.focus();
    else if (this.side.contains(document.activeElement)) this.menu.focus();
  }

  /** Marks the current view. */
  mark(route) {
    this.route = route;
    this.element.classList.remove("open");
    this.menu.setAttribute("aria-expanded", "false");
    this.draw();
  }

  draw() {
    if (!state.session?.developer) return;
    const { container, environment } = state;
    const key = JSON.stringify([
      container,
      environment,
      this.route?.name,
      state.containers,
      state.session,
      state.actingAs,
    ]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.element.dataset.environment = container ? environment : "";
    const label = container ? container.replace(/^iCloud\./, "") : "Containers";
    replace(
      this.where,
      h("span", { class: "where-name", text: label }),
      container ? h("span", { class: `badge ${environment}`, text: environment }) : null,
    );
    replace(this.place, container ? this.drawPlace() : null);
    replace(this.nav, container ? GROUPS.map(([name, views]) => this.drawGroup(name, views)) : this.drawPlainNav());
    replace(this.person, this.drawPerson());
    replace(this.banner, this.drawBanner());
  }

  drawPlace() {
    const { container, environment } = state;
    const view = this.route?.name ?? "records";
    const choose = h("select", {
      id: "container", class: "input", on: { change: (event) => {
        if (event.target.value) go(addressOf(event.target.value, environment, view));
        else go(plainAddress("containers"));
      } },
    }, state.containers.map(({ id }) => h("option", { value: id, text: id.replace(/^iCloud\./, "") })),
      h("option", { value: "", text: "All containers …" }));
    choose.value = container;
    return [
      h("label", { class: "visually-hidden", for: "container", text: "Container" }), choose,
      h("div", { class: "segments environment", role: "group", "aria-label": "Environment" },
        ["development", "production"].map((name) => h("button", {
          type: "button", "aria-pressed": String(name === environment), data: { environment: name },
          text: name === "development" ? "Development" : "Production",
          on: { click: () => go(addressOf(container, name, view === "test-accounts" ? "records" : view)) },
        }))),
    ];
  }

  drawGroup(name, views) {
    const shown = views.filter(([view]) => view !== "test-accounts" || state.environment === "development")
      .filter(([view]) => view !== "team" || isAdmin());
    return h("section", {}, h("h2", { text: name }), h("ul", {}, shown.map(([view, label]) => h("li", {},
      h("a", {
        href: addressOf(state.container, state.environment, view),
        "aria-current": this.route?.name === view ? "page" : null,
      }, icon(view), h("span", { text: label }))))));
  }

  drawPlainNav() {
    return h("ul", {}, h("li", {}, h("a", {
      href: plainAddress("containers"), "aria-current": this.route?.name === "containers" ? "page" : null,
    }, icon("container"), h("span", { text: "Containers" }))));
  }

  drawPerson() {
    const { developer, version } = state.session;
    return [
      h("div", { class: "person-words" }, h("strong", { text: developer.name || developer.email }),
        h("span", { text: developer.name ? developer.email : `Stratus ${version}` })),
      h(
        "button",
        {
          type: "button",
          class: "button quiet square",
          "aria-label": "Change password",
          title: "Change password",
          on: { click: changePassword },
        },
        icon("lock"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "button quiet square",
          "aria-label": "Sign out",
          title: "Sign out",
          on: { click: signOut },
        },
        icon("sign_out"),
      ),
    ];
  }

  drawBanner() {
    if (!state.actingAs) return null;
    return h("div", { class: "banner", role: "status" }, icon("test-accounts"),
      h("span", {}, "You act as ", h("strong", { text: state.actingAs.email ?? state.actingAs.userRecordName })),
      h("button", { type: "button", class: "button", text: "Stop", on: { click: () => {
        update({ actingAs: null });
        go(window.location.pathname + window.location.search, { replaces: true });
      } } }));
  }
}

async function changePassword() {
  const { changePassword: ask } = await import("./views/password.js");
  ask();
}

async function signOut() {
  try {
    await api.post("sign-out");
  } catch (error) {
    if (error.status !== 401) return toast(error.message, { isProblem: true });
  }
  update({ session: { ...state.session, developer: null }, containers: [], container: null, actingAs: null });
  return go(plainAddress("sign-in"));
}

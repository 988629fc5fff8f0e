/** The items of a folder: a grid of rows that is used with the mouse, the keyboard, or a finger. */

import { place, addressOf, folderAddress } from "./place.js";
import { button } from "../core/dialog.js";
import { icon } from "../core/icons.js";
import { h, replace } from "../core/dom.js";
import { bytes, named, time, visible } from "../core/format.js";
import { badge } from "../core/parts.js";

const COLUMNS = [["name", "Name"], ["size", "Size"], ["modified", "Changed"]];
const MOVED = "application/x-stratus-items";
const SYMBOLS = { folder: "container", file: "log", package: "log", link: "link" };
const COLLATOR = new Intl.Collator(undefined, { numeric: true });

export class List {
  /** @param {{open, go, act, more, dropped}} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.items = [];
    /** Whether the person may change what is shown. */
    this.mayChange = true;
    this.selected = new Set();
    this.current = 0;
    this.anchor = 0;
    this.body = h("tbody", {});
    this.headings = h("tr", {});
    this.toolbar = h("div", { class: "drive-selection", role: "toolbar", "aria-label": "Selected items" });
    this.moreButton = button("Show more", { id: "more", hidden: true, on: { click: () => this.handlers.more() } });
    const table = h("table", {
      class: "drive-list", role: "grid", "aria-multiselectable": "true", "aria-label": "Items",
      on: { keydown: (event) => this.press(event) },
    }, h("thead", {}, this.headings), this.body);
    this.element = h("div", { class: "drive-items" }, this.toolbar, table, this.moreButton);
  }

  item(id) { return this.items.find((item) => item.id === id); }
  get chosen() { return this.items.filter((item) => this.selected.has(item.id)); }

  clear() {
    this.selected.clear();
    this.current = 0;
    this.anchor = 0;
  }

  show(items, hasMore) {
    // The server orders names by their characters; people expect 10 after 9, where all items are here.
    const isWhole = !hasMore && place.sort === "name" && !place.isDeleted;
    const direction = place.descending ? -1 : 1;
    this.items = isWhole ? [...items].sort((a, b) => direction * COLLATOR.compare(a.name, b.name)) : items;
    this.selected = new Set(this.items.filter(({ id }) => this.selected.has(id)).map(({ id }) => id));
    this.current = Math.min(this.current, Math.max(0, this.items.length - 1));
    replace(this.headings, h("th", { scope: "col" }, h("span", { class: "visually-hidden", text: "Selected" })),
      COLUMNS.map((column) => this.heading(...column)));
    const hadFocus = this.body.contains(document.activeElement);
    replace(this.body, this.items.map((item, index) => this.row(item, index)));
    this.moreButton.hidden = !hasMore;
    this.mark();
    if (hadFocus) this.focus(this.current);
  }

  append(items, hasMore) {
    const start = this.items.length;
    this.items.push(...items);
    this.body.append(...items.map((item, index) => this.row(item, start + index)));
    this.moreButton.hidden = !hasMore;
    this.mark();
    this.focus(start);
  }

  heading(name, title) {
    const isFixed = place.isDeleted || place.isSharedList;
    const isCurrent = place.sort === name && !isFixed;
    const direction = place.descending ? "descending" : "ascending";
    if (isFixed) {
      const text = name === "modified" && place.isDeleted ? "Deleted" : title;
      return h("th", { scope: "col", class: name, text });
    }
    return h("th", { scope: "col", class: name, "aria-sort": isCurrent ? direction : null },
      h("button", {
        type: "button", class: "drive-sort", id: `sort-${name}`,
        on: { click: () => this.handlers.go(addressOf({ sort: name, descending: isCurrent && !place.descending })) },
      }, title, isCurrent ? icon(place.descending ? "down" : "up") : null));
  }

  row(item, index) {
    const box = h("input", {
      type: "checkbox", tabindex: "-1", "aria-label": `Select ${named(item.name)}`,
    });
    // Around the box, too, which is smaller than a finger.
    const select = h("td", {
      class: "select", on: { click: (event) => { event.stopPropagation(); this.toggle(index); } },
    }, box);
    const name = item.kind === "folder" && !place.isDeleted
      ? h("a", { href: folderAddress(item), tabindex: "-1", text: visible(item.name) })
      : h("span", { class: place.isDeleted ? "drive-name" : "drive-name opens", text: visible(item.name) });
    // A deleted item cannot be opened, so its name selects it as the rest of the row does.
    if (!place.isDeleted) name.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.handlers.open(item);
    });
    const row = h("tr", {
      tabindex: "-1", draggable: place.isDeleted || !this.mayChange ? null : "true", data: { id: item.id },
      on: {
        click: (event) => this.choose(index, event), dblclick: () => this.handlers.open(item),
        dragstart: (event) => this.drag(event, index),
      },
    }, select,
      h("td", { class: "name" }, h("span", { class: "drive-cell" }, icon(SYMBOLS[item.kind]), name,
        item.isShared && !item.owner ? badge("shared") : null,
        item.ownerName ? h("span", { class: "hint", text: `from ${named(item.ownerName)}` }) : null)),
      h("td", { class: "size", text: item.kind === "folder" ? "—" : bytes(item.size) }),
      h("td", { class: "modified", text: time(item.deleted ?? item.modified).slice(0, 16) }));
    if (item.kind === "folder" && this.mayChange) this.takeDropsOn(row, () => item);
    return row;
  }

  /** Lets items be moved by dropping them on an element. */
  takeDropsOn(element, folder) {
    const isOurs = (event) => event.dataTransfer.types.includes(MOVED);
    element.addEventListener("dragover", (event) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      element.classList.add("drop-here");
    });
    element.addEventListener("dragleave", () => element.classList.remove("drop-here"));
    element.addEventListener("drop", (event) => {
      element.classList.remove("drop-here");
      if (!isOurs(event)) return;
      event.preventDefault();
      event.stopPropagation();
      const target = folder();
      const ids = JSON.parse(event.dataTransfer.getData(MOVED)).filter((id) => id !== target.id);
      if (ids.length) this.handlers.dropped(ids, target);
    });
  }

  drag(event, index) {
    if (!this.selected.has(this.items[index].id)) this.choose(index, {});
    event.dataTransfer.setData(MOVED, JSON.stringify([...this.selected]));
    event.dataTransfer.effectAllowed = "move";
  }

  toggle(index) {
    const { id } = this.items[index];
    if (!this.selected.delete(id)) this.selected.add(id);
    this.current = index;
    this.anchor = index;
    this.mark();
  }

  choose(index, { ctrlKey, metaKey, shiftKey }) {
    if (ctrlKey || metaKey) return this.toggle(index);
    if (!shiftKey) this.anchor = index;
    const [from, to] = [Math.min(this.anchor, index), Math.max(this.anchor, index)];
    this.selected = new Set(this.items.slice(from, to + 1).map(({ id }) => id));
    this.current = index;
    return this.mark();
  }

  focus(index) {
    const row = this.body.children[index];
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
  }

  press(event) {
    if (!event.target.closest("tbody")) return;
    const { key } = event;
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -this.items.length, End: this.items.length };
    if (key in steps) {
      const index = Math.max(0, Math.min(this.items.length - 1, this.current + steps[key]));
      if (event.ctrlKey) this.current = index;
      else this.choose(index, { shiftKey: event.shiftKey });
      this.mark();
      this.focus(index);
    } else if (key === " ") this.toggle(this.current);
    else if (key === "a" && (event.ctrlKey || event.metaKey)) {
      this.selected = new Set(this.items.map(({ id }) => id));
      this.mark();
    } else if (key === "Escape") {
      this.selected.clear();
      this.mark();
    } else if (key === "Enter") this.handlers.open(this.items[this.current]);
    else if (key === "Delete" && this.selected.size && this.mayChange) {
      this.handlers.act(place.isDeleted ? "erase" : "remove", this.chosen);
    } else if (key === "F2" && this.selected.size === 1 && !place.isDeleted && this.mayChange) {
      this.handlers.act("rename", this.chosen);
    } else return;
    event.preventDefault();
  }

  /** The actions on the selected items. */
  offered(only) {
    if (place.isDeleted) return [["restore", "Restore", "refresh"], ["erase", "Delete for good", "remove"]];
    const isOwn = place.view === "files";
    return [
      // Several items of the list may belong to several people.
      only || !place.isSharedList ? ["download", "Download", "download"] : null,
      this.mayChange ? ["relocate", "Move", "next"] : null,
      only && this.mayChange ? ["rename", "Rename", "settings"] : null,
      only && (isOwn || place.isSharedList) ? ["share", "Share", "users"] : null,
      isOwn && only?.kind === "file" ? ["publish", "Publish", "link"] : null,
      isOwn && ["file", "package"].includes(only?.kind) ? ["versions", "Versions", "changes"] : null,
      this.mayChange ? ["remove", "Delete", "remove"] : null,
    ].filter(Boolean);
  }

  /** Shows what is selected, and what can be done with it. */
  mark() {
    [...this.body.children].forEach((row, index) => {
      const isSelected = this.selected.has(this.items[index].id);
      row.setAttribute("aria-selected", String(isSelected));
      row.querySelector("input").checked = isSelected;
      row.tabIndex = index === this.current ? 0 : -1;
    });
    const count = this.selected.size;
    const only = count === 1 ? this.chosen[0] : null;
    const offered = this.offered(only);
    replace(this.toolbar, count === 0
      ? h("span", { class: "hint", text: place.isDeleted ? "Deleted items stay for 30 days." : "Nothing selected" })
      : [h("span", { class: "hint", text: `${count} selected` }), offered.map(([name, label, symbol]) =>
        button(label, {
          class: "small", id: name, on: { click: () => this.handlers.act(name, this.chosen) },
        }, symbol))]);
  }
}

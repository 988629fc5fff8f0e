/** What the records view asks for: database, zone, type, filters and order; and the bar where that is chosen. */

import { button } from "../core/dialog.js";
import * as cloud from "../core/cloud.js";
import { h, replace } from "../core/dom.js";
import { Field } from "../core/form.js";
import { note } from "../core/router.js";
import { fetchSchema, hasOrder, isOwnType, SYSTEM_FIELDS } from "../core/schema.js";
import { state } from "../core/state.js";
import { Filters } from "./filters.js";

export class Question {
  /**
   * @param {{page: object, ask: function(), restart: function()}} parts `ask` is told of each change, `restart` when
   *   all has to be looked at anew
   */
  constructor({ page, ask, restart }) {
    Object.assign(this, { ask, restart, signal: page.signal });
    this.database = page.query.get("database") ?? "public";
    this.zone = page.query.get("zone") ?? cloud.DEFAULT_ZONE;
    this.owner = page.query.get("owner") ?? "";
    this.typeName = page.query.get("type") ?? "";
    this.bar = h("div", { class: "bar" });
    this.filterPlace = h("div");
  }

  get place() { return cloud.placeOf(this.database, this.zone, this.owner); }
  get type() { return this.schema?.types.find(({ name }) => name === this.typeName); }

  /** Looks at what there is to choose from, and draws the bar. */
  async load() {
    this.schema = await fetchSchema({ signal: this.signal });
    const names = this.schema.types.map(({ name }) => name);
    if (!names.includes(this.typeName)) this.typeName = names.find((name) => !isOwnType(name)) ?? "";
    await this.loadZones();
    this.drawBar();
    this.drawFilters();
  }

  /** Takes up fields that development has learned; false if there are none. */
  async learn() {
    const before = this.type.fields.length;
    this.schema = await fetchSchema({ signal: this.signal });
    if (!this.type || this.type.fields.length === before) return false;
    if (this.filters.isEmpty) this.drawFilters();
    return true;
  }

  /** The query as the web services take it. Throws if a filter is not whole. */
  query() {
    const sortBy = this.sort ? [sortOf(this.sort)] : [];
    return { recordType: this.typeName, filterBy: this.filters.read(), sortBy };
  }

  /**
   * What a download of what is in view asks for. All of a type in an own zone needs no index, what a query finds does.
   * @param {object} query as `query` gave it
   */
  exported(query) {
    const { database, zone } = this;
    const isPlain = !query.filterBy.length && !query.sortBy.length && database !== "shared" && !state.actingAs;
    if (isPlain) return { type: this.typeName, database, zone: zone === cloud.DEFAULT_ZONE ? "" : zone };
    return {
      database,
      as: state.actingAs?.userRecordName,
      query: JSON.stringify({ query, zoneID: this.place.zoneID }),
    };
  }

  /** Keeps it in the page's address. */
  note() {
    note({
      database: this.database === "public" ? "" : this.database,
      zone: this.zone === cloud.DEFAULT_ZONE ? "" : this.zone,
      owner: this.owner,
      type: this.typeName,
    });
  }

  async loadZones() {
    this.zones = [{ zoneName: cloud.DEFAULT_ZONE }];
    if (this.database === "public") { this.zone = cloud.DEFAULT_ZONE; this.owner = ""; return; }
    const zones = await cloud.zones(this.database, { signal: this.signal });
    this.zones = zones.map(({ zoneID }) => zoneID);
    const isThere = this.zones.some(({ zoneName, ownerRecordName }) => zoneName === this.zone && (
      this.database === "private" || ownerRecordName === this.owner
    ));
    if (!isThere) {
      this.zone = this.zones[0]?.zoneName ?? "";
      this.owner = this.database === "shared" ? this.zones[0]?.ownerRecordName ?? "" : "";
    }
  }

  drawBar() {
    const database = new Field({
      label: "Database",
      name: "database",
      options: cloud.databases(),
      value: this.database,
    });
    database.input.addEventListener("change", async () => {
      this.database = database.value;
      await this.restart();
    });
    const key = ({ zoneName, ownerRecordName }) => JSON.stringify([
      zoneName,
      this.database === "shared" ? ownerRecordName : "",
    ]);
    const zone = new Field({
      label: "Zone", name: "zone", value: JSON.stringify([this.zone, this.owner]), disabled: this.zones.length < 2,
      options: this.zones.map((zoneID) => ({
        value: key(zoneID),
        label: zoneID.zoneName === cloud.DEFAULT_ZONE ? "Default zone" : zoneID.zoneName,
      })),
    });
    zone.input.addEventListener("change", () => {
      [this.zone, this.owner] = JSON.parse(zone.value);
      this.ask();
    });
    const names = this.schema.types.map(({ name }) => name)
      .sort((one, other) => isOwnType(one) - isOwnType(other) || one.localeCompare(other));
    const type = new Field({
      label: "Record type",
      name: "type",
      value: this.typeName,
      options: [
        ...(this.typeName ? [] : [{ value: "", label: "None yet" }]),
        ...names.map((name) => ({ value: name, label: name }))
      ],
    });
    type.input.addEventListener("change", () => {
      this.typeName = type.value;
      this.sort = null;
      this.drawFilters();
      this.ask();
    });
    this.sortPlace = h("div");
    replace(
      this.bar,
      database.element,
      zone.element,
      type.element,
      this.sortPlace,
      this.endPlace = h("div", { class: "bar-end" }),
    );
  }

  drawFilters() {
    this.filters = new Filters({ type: this.type, context: { signal: this.signal }, changed: () => this.ask() });
    replace(this.filterPlace, this.filters.element);
    const sortable = (this.type?.fields ?? []).filter(hasOrder);
    // The latest first, where the schema allows it.
    this.sort ??= sortable.some(({ name }) => name === "___modTime") ? { name: "___modTime", ascending: false } : null;
    this.drawSort();
    replace(
      this.endPlace,
      this.filters.fields.length ? this.filters.button() : null,
      button("Run", { on: { click: () => this.ask() } }, "refresh"),
    );
  }

  drawSort() {
    const sortable = (this.type?.fields ?? []).filter(hasOrder);
    const options = [{ value: "", label: "No order" }, ...sortable.flatMap(({ name }) => [
      { value: `${name} up`, label: `${SYSTEM_FIELDS[name]?.label ?? name}, ascending` },
      { value: `${name} down`, label: `${SYSTEM_FIELDS[name]?.label ?? name}, descending` }])];
    const field = new Field({
      label: "Order",
      name: "sort",
      options,
      value: this.sort ? `${this.sort.name} ${this.sort.ascending ? "up" : "down"}` : "",
    });
    field.input.addEventListener("change", () => {
      const [name, direction] = field.value.split(" ");
      this.sort = name ? { name, ascending: direction === "up" } : null;
      this.ask();
    });
    replace(this.sortPlace, field.element);
  }

  changeSort(name) {
    this.sort = this.sort?.name === name ? { name, ascending: !this.sort.ascending } : { name, ascending: true };
    this.drawSort();
    this.ask();
  }
}

function sortOf({ name, ascending }) {
  const system = SYSTEM_FIELDS[name];
  return { ...(system ? { systemFieldName: system.wire } : { fieldName: name }), ascending };
}

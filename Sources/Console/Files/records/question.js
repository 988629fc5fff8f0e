/** What the records view asks for: database, zone, type, filters and order; and the bar where that is chosen. */

import { button } from "../core/dialog.js";
import * as cloud from "../core/cloud.js";
import { h, replace } from "../core/dom.js";
import { Field } from "../core/form.js";
import { note } from "../core/router.js";
import { fetchSchema, hasOrder, isOwnType, SYSTEM_FIELDS } from "../core/schema.js";
import { state } from "../core/state.js";
import { filtersOf, keyOf, orderOf, orderText, parametersOf } from "./address.js";
import { Filters } from "./filters.js";

const DATABASES = ["public", "private", "shared"];

export class Question {
  /**
   * @param {{page: object, ask: function(), restart: function(), tools: Node[]}} parts `ask` is called after each
   *   change, `restart` when the schema and the zones have to be fetched again; `tools` stand beside the button for
   *   filters
   */
  constructor({ page, ask, restart, tools }) {
    Object.assign(this, { restart, tools, signal: page.signal });
    this.ask = () => {
      this.queryProblem = null;
      ask();
    };
    this.database = page.query.get("database") ?? "public";
    this.zone = page.query.get("zone");
    this.owner = page.query.get("owner") ?? "";
    this.typeName = page.query.get("type") ?? "";
    /** What the address asks for, until the bar has taken it up. */
    this.wanted = page.query;
    this.queryProblem = null;
    this.bar = h("div", { class: "bar" });
    this.filterPlace = h("div");
  }

  get place() { return cloud.placeOf(this.database, this.zone, this.owner); }
  get type() { return this.schema?.types.find(({ name }) => name === this.typeName); }

  /** Why what the address names cannot be shown; null if it can. */
  get problem() {
    if (!DATABASES.includes(this.database)) {
      return `There is no database “${this.database}”. The databases are public, private and shared.`;
    }
    if (this.missingZone) return `The ${this.database} database has no zone “${this.missingZone}”.`;
    if (this.typeName && !this.type) {
      return `The schema of ${state.environment} has no record type “${this.typeName}”.`;
    }
    return this.queryProblem;
  }

  /** Fetches what there is to choose from, and draws the bar. */
  async load() {
    this.schema = await fetchSchema({ signal: this.signal });
    const names = this.schema.types.map(({ name }) => name);
    this.typeName ||= names.find((name) => !isOwnType(name)) ?? "";
    // What is asked for stays when the schema or the zones are fetched again.
    if (this.notedParameters?.type === this.typeName) this.wanted = new URLSearchParams(this.notedParameters);
    await this.loadZones();
    this.drawBar();
    this.drawFilters();
  }

  /** Chooses another record type, which the schema may have got meanwhile. */
  choose(typeName) {
    this.typeName = typeName;
    this.queryProblem = null;
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

  /** The parameters of the address that shows this. */
  get parameters() {
    const order = orderText(this.sort) === orderText(this.usualSort) ? "" : orderText(this.sort);
    return parametersOf({ ...this, filters: this.filters.describe(), order });
  }

  /** What is in the page's address, apart from the record that is open. */
  get key() { return this.notedParameters && keyOf(this.notedParameters); }

  /**
   * Keeps it in the page's address. The way back leads to what was asked before.
   * @param {object} [options] as `note` takes them, for the first time
   */
  note({ record = "", depth = 0 } = {}) {
    const { parameters } = this;
    if (keyOf(parameters) === this.key) return;
    note({ ...parameters, record }, { pushes: this.notedParameters !== undefined, depth });
    this.notedParameters = parameters;
  }

  async loadZones() {
    this.missingZone = null;
    this.zones = [{ zoneName: cloud.DEFAULT_ZONE }];
    if (this.database === "public") this.owner = "";
    else if (DATABASES.includes(this.database)) {
      const zones = await cloud.zones(this.database, { signal: this.signal });
      this.zones = zones.map(({ zoneID }) => zoneID);
    }
    const isThis = ({ zoneName, ownerRecordName }) => zoneName === this.zone
      && (this.database !== "shared" || ownerRecordName === this.owner);
    if (this.zone && !this.zones.some(isThis)) {
      this.missingZone = this.zone;
      return;
    }
    if (this.zone) return;
    const first = this.zones.find(({ zoneName }) => zoneName === cloud.DEFAULT_ZONE) ?? this.zones[0];
    this.zone = first?.zoneName ?? "";
    this.owner = this.database === "shared" ? first?.ownerRecordName ?? "" : "";
  }

  drawBar() {
    this.sortPlace = h("div");
    this.endPlace = h("div", { class: "bar-end" });
    replace(this.bar, this.databaseField(), this.zoneField(), this.typeField(), this.sortPlace, this.endPlace);
  }

  databaseField() {
    const known = cloud.databases();
    const isKnown = known.some(({ value }) => value === this.database);
    const database = new Field({
      label: "Database",
      name: "database",
      options: isKnown ? known : [{ value: this.database, label: this.database }, ...known],
      value: this.database,
    });
    database.input.addEventListener("change", async () => {
      this.database = database.value;
      this.zone = null;
      await this.restart();
    });
    return database.element;
  }

  zoneField() {
    const key = ({ zoneName, ownerRecordName }) => JSON.stringify([
      zoneName,
      this.database === "shared" ? ownerRecordName : "",
    ]);
    const missing = this.missingZone ? [{ value: JSON.stringify([this.zone, this.owner]), label: this.zone }] : [];
    const zone = new Field({
      label: "Zone", name: "zone", value: JSON.stringify([this.zone, this.owner]),
      disabled: this.zones.length + missing.length < 2,
      options: [...missing, ...this.zones.map((zoneID) => ({
        value: key(zoneID),
        label: zoneID.zoneName === cloud.DEFAULT_ZONE ? "Default zone" : zoneID.zoneName,
      }))],
    });
    zone.input.addEventListener("change", () => {
      [this.zone, this.owner] = JSON.parse(zone.value);
      this.missingZone = null;
      this.ask();
    });
    return zone.element;
  }

  typeField() {
    const names = this.schema.types.map(({ name }) => name)
      .sort((one, other) => isOwnType(one) - isOwnType(other) || one.localeCompare(other));
    const unlisted = this.type ? [] : [{ value: this.typeName, label: this.typeName || "None yet" }];
    const type = new Field({
      label: "Record type",
      name: "type",
      value: this.typeName,
      options: [...unlisted, ...names.map((name) => ({ value: name, label: name }))],
    });
    type.input.addEventListener("change", () => {
      this.typeName = type.value;
      this.drawFilters();
      this.ask();
    });
    return type.element;
  }

  /** The fields that records of the type can be ordered by. */
  get sortable() { return (this.type?.fields ?? []).filter(hasOrder); }

  /** The order unless another is chosen: the latest first, where the schema allows it. */
  get usualSort() {
    return this.sortable.some(({ name }) => name === "___modTime") ? { name: "___modTime", ascending: false } : null;
  }

  drawFilters() {
    this.filters = new Filters({ type: this.type, context: { signal: this.signal }, changed: () => this.ask() });
    replace(this.filterPlace, this.filters.element);
    this.sort = this.usualSort;
    this.takeUpWanted();
    this.drawSort();
    replace(
      this.endPlace,
      this.filters.fields.length ? this.filters.button() : null,
      this.tools,
      button("Run", { on: { click: () => this.ask() } }, "refresh"),
    );
  }

  /** Takes the filters and the order from the address, once. */
  takeUpWanted() {
    const { wanted } = this;
    this.wanted = null;
    this.queryProblem = null;
    if (!wanted || !this.type) return;
    try {
      this.filters.apply(filtersOf(wanted));
      const order = orderOf(wanted);
      if (order && !this.sortable.some(({ name }) => name === order.name)) {
        throw new Error(`${this.typeName} records cannot be ordered by “${order.name}”: it has no sortable index.`);
      }
      if (order !== undefined) this.sort = order;
    } catch (error) {
      this.queryProblem = error.message;
    }
  }

  drawSort() {
    const options = [{ value: "", label: "No order" }, ...this.sortable.flatMap(({ name }) => [
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

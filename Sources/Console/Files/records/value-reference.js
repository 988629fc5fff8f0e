/** A reference: the name of a record, typed or picked, and what happens when that record is deleted. */

import { fetchSchema, isOwnType } from "../core/schema.js";
import * as cloud from "../core/cloud.js";
import { open, button } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { empty, failure, waiting } from "../core/parts.js";
import { summary } from "./columns.js";

const ACTIONS = [
  ["NONE", "When it is deleted: keep this record"],
  ["DELETE_SELF", "When it is deleted: delete this record too"],
  ["VALIDATE", "Refuse to delete it while this record exists"],
];

const HOME = { zoneName: cloud.DEFAULT_ZONE };

export function referenceEditor(context) {
  const mayPick = context.place && !context.isReadOnly;
  const name = h("input", {
    class: "input code",
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Record name",
    "aria-label": context.label,
    "aria-describedby": context.describedBy,
  });
  const action = h(
    "select",
    { class: "input", "aria-label": `${context.label}: when that record is deleted` },
    ACTIONS.map(([value, text]) => h("option", { value, text })),
  );
  const pick = button("Pick", { "aria-label": `${context.label}: pick a record` }, "search");
  pick.addEventListener("click", async () => {
    const record = await pickRecord(context);
    if (record) name.value = record.recordName;
    showFollow();
    pick.focus();
  });
  let zoneID;
  // A record of another zone cannot be shown beside this grid.
  const isHere = () => name.value.trim() && (!zoneID || zoneID.zoneName === (context.place?.zoneID ?? HOME).zoneName);
  const follow = button("Open", { "aria-label": `${context.label}: open the record` }, "next");
  follow.addEventListener("click", () => context.follow(name.value.trim()));
  const showFollow = () => { follow.hidden = !context.follow || !isHere(); };
  name.addEventListener("input", showFollow);
  showFollow();
  return {
    element: h(
      "div",
      { class: "stack-small" },
      h("div", { class: "row" }, h("div", { class: "grow" }, name), follow, mayPick ? pick : null),
      context.isPlain ? null : action,
    ),
    focus: () => name.focus(),
    write(value) {
      name.value = value?.recordName ?? "";
      action.value = value?.action ?? "NONE";
      zoneID = value?.zoneID;
      showFollow();
    },
    read() {
      const recordName = name.value.trim();
      if (!recordName) return null;
      const value = { recordName, action: context.isPlain ? undefined : action.value };
      if (zoneID) value.zoneID = zoneID;
      return value;
    },
  };
}

/** Lets a record of the same database and zone be chosen. */
async function pickRecord({ place, signal }) {
  const list = h("div", { class: "picker" });
  const type = h("select", { class: "input", "aria-label": "Record type" });
  const find = h("input", {
    class: "input",
    type: "search",
    placeholder: "Search the first 200 records",
    "aria-label": "Find",
  });
  const dialog = open({
    title: "Pick a record",
    content: [h("div", { class: "row" }, h("div", { class: "grow" }, type), h("div", { class: "grow" }, find)), list],
  });
  let records = [];

  const draw = () => {
    const words = find.value.trim().toLowerCase();
    const texts = records.map((record) => ({
      record,
      text: Object.values(record.fields ?? {}).slice(0, 4).map((field) => summary(field.value, field.type))
        .filter(Boolean).join(" · "),
    }));
    const found = texts.filter(({ record, text }) => `${record.recordName} ${text}`.toLowerCase().includes(words));
    replace(list, found.length === 0
      ? empty({
        iconName: "search",
        title: "No record",
        text: words ? "None of the first 200 records matches." : "There are no records of this type.",
      })
      : found.map(({ record, text }) => h(
        "button",
        { type: "button", on: { click: () => dialog.close(record) } },
        h("span", { class: "code", text: record.recordName }),
        h("small", { text }),
      )));
  };
  const load = async () => {
    replace(list, waiting(4));
    try {
      const query = { recordType: type.value };
      ({ records } = await cloud.query(place, query, { signal }));
      draw();
    } catch (error) {
      if (error.name !== "AbortError") replace(list, failure(error, load));
    }
  };
  type.addEventListener("change", load);
  find.addEventListener("input", draw);
  try {
    const schema = await fetchSchema({ signal });
    replace(
      type,
      schema.types.filter(({ name }) => !isOwnType(name) || name === "Users").map(({ name }) => h(
        "option",
        { value: name, text: name },
      )),
    );
    await load();
    find.focus();
  } catch (error) {
    if (error.name !== "AbortError") replace(list, failure(error));
  }
  return dialog.closed;
}

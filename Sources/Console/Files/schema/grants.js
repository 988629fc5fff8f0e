/** The permissions that roles have on records of a type. */

import { h } from "../core/dom.js";
import { table } from "../core/parts.js";

const PERMISSIONS = ["READ", "CREATE", "WRITE"];
const SYSTEM = [["_world", "everybody"], ["_icloud", "signed-in users"], ["_creator", "the creator of the record"]];

export function grantTable(type, roles, { isEditable, changed }) {
  type.grants ??= {};
  const custom = roles.filter((role) => !SYSTEM.some(([name]) => name === role)).map((role) => [role, "custom role"]);
  const frame = table({
    label: `Permissions of ${type.name}`,
    columns: [
      { name: "Role", class: "main" },
      { name: "Read", class: "tick" },
      { name: "Create", class: "tick" },
      { name: "Write", class: "tick" },
    ],
    rows: [...SYSTEM, ...custom].map(([role, words]) => [
      h("span", {}, h("code", { text: role }), h("small", { text: words })),
      ...PERMISSIONS.map((permission) => h("input", {
        type: "checkbox",
        "aria-label": `${permission} to ${role}`,
        checked: type.grants[role]?.includes(permission),
        disabled: !isEditable || (role === "_creator" && permission === "CREATE"),
        on: { change: (event) => {
          const granted = new Set(type.grants[role] ?? []);
          if (event.target.checked) granted.add(permission);
          else granted.delete(permission);
          type.grants[role] = PERMISSIONS.filter((each) => granted.has(each));
          changed();
        } },
      })),
    ]),
  });
  frame.classList.add("field-table");
  return frame;
}

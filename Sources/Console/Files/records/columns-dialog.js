/** The dialog in which the grid's columns are chosen and put in order. */

import { button, open, toast } from "../core/dialog.js";
import { h, replace } from "../core/dom.js";
import { checkbox } from "../core/form.js";
import { rowButton } from "../core/parts.js";
import { arrangedColumns, keepColumns } from "./columns.js";

/** @returns {Promise<boolean>} whether the columns have changed */
export async function chooseColumns(type) {
  let [name, ...columns] = arrangedColumns(type);
  const list = h("ul", { class: "column-list" });
  const draw = () => replace(list, columns.map((column) => row(column)));

  function row(column) {
    const box = checkbox(column.label, { isChecked: column.isShown });
    box.input.addEventListener("change", () => { column.isShown = box.input.checked; });
    return h("li", { data: { name: column.name } }, box.element, h("div", { class: "moves" },
      rowButton(`Move ${column.label} up`, "up", () => move(column, -1), "quiet small"),
      rowButton(`Move ${column.label} down`, "down", () => move(column, 1), "quiet small")));
  }

  function move(column, step) {
    const from = columns.indexOf(column);
    const to = from + step;
    if (to < 0 || to >= columns.length) return;
    columns.splice(from, 1);
    columns.splice(to, 0, column);
    draw();
    list.children[to].querySelectorAll("button")[step < 0 ? 0 : 1].focus();
  }

  const usual = button("Reset");
  const done = button("Done", { class: "primary" });
  draw();
  const dialog = open({
    title: "Columns",
    content: [
      h("p", { class: "hint", text: `For ${type.name}, in this browser. The record name is always the first column.` }),
      list,
    ],
    actions: [usual, done],
  });
  usual.addEventListener("click", () => {
    keepColumns(type, null);
    dialog.close(true);
  });
  done.addEventListener("click", () => {
    if (!keepColumns(type, [name, ...columns])) toast("This browser could not save the columns.", { isProblem: true });
    dialog.close(true);
  });
  return (await dialog.closed) === true;
}

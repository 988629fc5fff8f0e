/** The editor that is open over a cell of the grid. There is one at a time. */

/** Rows that an editor with an error needs below its cell. */
const ROWS = 4;

export class GridEditing {
  constructor(grid) {
    this.grid = grid;
    this.editor = null;
  }

  /** Waits until another cell is saved that is being left. False if that one stays open because it has an error. */
  async isFree() {
    await this.editor?.leaving;
    return !this.editor;
  }

  /** Shows an editor over a cell: `{index, column, left}` are the row, the column, and its offset in pixels. */
  begin(editor, cell) {
    this.editor = editor;
    this.cell = cell;
    editor.resized = () => this.place();
    this.grid.element.after(editor.element);
    this.place();
    editor.focus();
  }

  /** Positions the editor over its cell. */
  place() {
    if (!this.editor) return;
    const { grid, cell } = this;
    const { element } = this.editor;
    const width = Math.max(cell.column.width, this.editor.width);
    const left = cell.left - grid.element.scrollLeft;
    element.style.width = `${width}px`;
    element.style.left = `${Math.max(4, Math.min(left, grid.element.clientWidth - width - 4))}px`;
    element.style.top = `${grid.offsetOf(cell.index)}px`;
    element.classList.toggle("upward", grid.isLow(cell.index, ROWS));
  }

  /** Gives the focus back to the grid when the editor has closed, unless it is elsewhere already. */
  closed(editor) {
    if (this.editor !== editor) return;
    this.editor = null;
    if (document.activeElement === document.body) this.grid.element.focus({ preventScroll: true });
  }
}

/** Takes files and folders that are dropped on the page. */

/** Calls `act` with what is dropped, as files with the names of the folders around them. */
export function takeDrops(element, isAllowed, act) {
  const hasFiles = (event) => isAllowed() && event.dataTransfer.types.includes("Files");
  window.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    element.classList.toggle("drop-here", hasFiles(event));
  });
  window.addEventListener("dragleave", (event) => { if (!event.relatedTarget) element.classList.remove("drop-here"); });
  window.addEventListener("drop", async (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    // Otherwise the browser would leave the page and show the file.
    event.preventDefault();
    element.classList.remove("drop-here");
    if (!isAllowed()) return;
    // The list is empty after the first wait.
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const plain = [...event.dataTransfer.files].map((file) => ({ file, path: [] }));
    act(entries.length ? (await Promise.all(entries.map((entry) => collect(entry, [])))).flat() : plain);
  });
}

async function collect(entry, path) {
  if (entry.isFile) return [{ file: await new Promise((done, fail) => { entry.file(done, fail); }), path }];
  const reader = entry.createReader();
  const found = [{ folder: true, path: [...path, entry.name] }];
  while (true) {
    const entries = await new Promise((done, fail) => { reader.readEntries(done, fail); });
    if (!entries.length) return found;
    for (const inner of entries) found.push(...await collect(inner, [...path, entry.name]));
  }
}

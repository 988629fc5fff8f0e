/** Loads libraries that few views need, when the first of these views is shown. They define globals. */

const loading = new Map();

function once(address, begin) {
  if (!loading.has(address)) {
    const promise = new Promise((done, fail) => {
      const element = begin();
      element.addEventListener("load", () => done());
      element.addEventListener("error", () => {
        loading.delete(address);
        element.remove();
        fail(new Error(`${address} could not be loaded. Check that its package is installed on the server.`));
      });
      document.head.append(element);
    });
    loading.set(address, promise);
  }
  return loading.get(address);
}

const script = (address) => once(
  address,
  () => Object.assign(document.createElement("script"), { src: address, async: false }),
);

const style = (address) =>
  once(address, () => Object.assign(document.createElement("link"), { rel: "stylesheet", href: address }));

/** Chart.js. */
export async function charts() {
  await script("/console/lib/chart.js/chart.min.js");
  return window.Chart;
}

let outlines = null;

/** The outlines of the continents as a path of SVG in tenths of a degree; null where the server has none. */
export function worldOutlines() {
  outlines ??= fetch("/console/lib/world/outlines.json", { credentials: "same-origin" })
    .then((response) => (response.ok ? response.json() : null))
    .then((answer) => answer?.path ?? null)
    .catch(() => { outlines = null; return null; });
  return outlines;
}

/** CodeMirror, with what the editor of schemas uses. */
export async function codeMirror() {
  await Promise.all([style("/console/lib/codemirror/codemirror.css"), script("/console/lib/codemirror/codemirror.js")]);
  await Promise.all(["simple", "active-line", "matchbrackets"].map(
    (name) => script(`/console/lib/codemirror/${name}.js`),
  ));
  return window.CodeMirror;
}

/** Builds elements. Text is only ever set as text: nothing that comes from a server is read as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element.
 * @param {string} tag
 * @param {object} [properties] attributes by name; `class`; `text`; `on` with listeners; `data` for data attributes;
 *   what is null, undefined or false is left out, and true is an attribute without a value.
 * @param {...(Node|string|null|false|Array)} children
 */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An element of SVG. */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "value") element.value = value;
    else if (name === "checked" || name === "disabled" || name === "indeterminate") element[name] = Boolean(value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** Puts these children in the place of what an element has. */
export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

let lastIdentifier = 0;

/** An identifier that no other element of the page has. */
export function identifier(prefix = "e") {
  lastIdentifier += 1;
  return `${prefix}-${lastIdentifier}`;
}

/** Calls `act` when there was no call for some milliseconds. */
export function settled(act, milliseconds = 250) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...values), milliseconds);
  };
}

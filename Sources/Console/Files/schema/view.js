/** The schema of an environment: record types, requests, text, deployment, indexes and history. */

import { h } from "../core/dom.js";
import { head, tabs } from "../core/parts.js";
import { addressOf } from "../core/router.js";
import { state } from "../core/state.js";

export const title = "Schema";

const PARTS = [
  ["", "Record types", () => import("./designer.js")],
  ["requests", "Requests", () => import("./requests.js")],
  ["text", "Text", () => import("./text.js")],
  ["deploy", "Deploy", () => import("./deploy.js")],
  ["indexes", "Indexes", () => import("./indexes.js")],
  ["history", "History", () => import("./history.js")],
];

export async function show(page) {
  const wanted = page.route.rest[0] ?? "";
  const part = PARTS.find(([name]) => name === wanted) ?? PARTS[0];
  const { container, environment } = state;
  const place = h("div", {});
  page.root.append(
    head({
      title: "Schema",
      lead: environment === "development"
        ? "The record types that apps can save. Change development freely, then deploy it to production."
          : "The record types that apps can save in production. Deploy development to change them.",
    }),
    tabs(
      "Schema",
      PARTS.map(([name, label]) => ({
        name: label,
        address: addressOf(container, environment, "schema", {}, ...(name ? [name] : [])),
        isCurrent: name === part[0],
      })),
    ),
    place);
  const module = await part[2]();
  if (!page.signal.aborted) await module.show({ ...page, root: place });
}

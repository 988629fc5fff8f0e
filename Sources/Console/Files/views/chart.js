/** A chart over time, and the same numbers as a table for readers who cannot see it. */

import { h } from "../core/dom.js";
import { bytes, number, time } from "../core/format.js";
import { table } from "../core/parts.js";

/** Colours that can be told apart on light and dark grounds, also by most people with colour blindness. */
const LIGHT = ["#0a62c4", "#c2550a", "#14713a", "#8b3fa8", "#8a6d00", "#b3001b"];
const DARK = ["#6cb2ff", "#ffa85c", "#6fd495", "#d59bf0", "#e5c84b", "#ff98a4"];

/** Minutes between two moments that an axis may name. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 4320, 7200, 10_080];

/** Indexes of the moments that are the first in a step of so many minutes, in this browser's time zone. */
function firstOfSteps(times, minutes) {
  const step = (moment) => Math.floor((moment / 60_000 - new Date(moment).getTimezoneOffset()) / minutes);
  return times.map((_, index) => index).filter((index) => index > 0 && step(times[index]) > step(times[index - 1]));
}

/** Indexes of at most `limit` moments for an axis to name. */
function roundMoments(times, limit) {
  for (const minutes of TIME_STEPS) {
    const places = firstOfSteps(times, minutes);
    if (places.length <= limit) return places;
  }
  return [];
}

/** The step of an axis of bytes. At most four steps reach the greatest number. */
function byteStep(greatest) {
  const unit = 1024 ** Math.floor(Math.log(Math.max(greatest, 1)) / Math.log(1024));
  const step = [.25, .5, 1, 2, 5, 10, 20, 50, 100, 200, 500].find((count) => count * unit * 4 >= greatest);
  return Math.max(1, (step ?? 500) * unit);
}

/** Pixels of a chart's width, below which its axis of time has fewer labels. */
const NARROW = 420;

const isThere = (value) => value !== null && value !== undefined;

export class Chart {
  /**
   * @param {{title: string, hint: string, unit: string, times: number[], minutes: number,
   *   control?: Node, lines: {label: string, values: number[], limits?: string}[]}} parts `limits`: the label of the
   *   line that must not pass this one, which is drawn dashed in the same colour; `control`: takes the hint's place
   */
  constructor(Library, parts) {
    Object.assign(this, parts);
    const canvas = h("canvas", { role: "img", "aria-label": `${this.title}: ${this.words()}` });
    const isKnown = this.lines.some(({ values }) => (values ?? []).some(isThere));
    this.element = h("section", { class: "card", "aria-label": this.title },
      h("div", { class: "card-head" }, h("h2", { text: this.title }),
        this.control ?? h("span", { class: "hint", text: this.hint })),
      h("div", { class: "card-body" }, isKnown ? [h("div", { class: "chart" }, canvas), this.details()]
        : h("p", { class: "chart hint", text: "There is no data for this period yet." })));
    if (!isKnown) return;
    this.dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.change = () => this.draw(Library, canvas);
    this.dark.addEventListener("change", this.change);
    this.draw(Library, canvas);
  }

  destroy() {
    this.dark?.removeEventListener("change", this.change);
    this.chart?.destroy();
  }

  text(value) {
    if (!isThere(value)) return "–";
    if (this.unit === "bytes") return bytes(value);
    if (this.unit === "ms") return `${Number(value).toFixed(value < 10 ? 1 : 0)} ms`;
    return number(value);
  }

  words() {
    return this.lines.map(({ label, values }) => {
      const known = (values ?? []).filter(isThere);
      return known.length
        ? `${label} up to ${this.text(Math.max(...known))}, now ${this.text(known[known.length - 1])}`
          : `${label}: no data`;
    }).join("; ");
  }

  greatest() {
    return Math.max(0, ...this.lines.flatMap(({ values }) => (values ?? []).filter(isThere)));
  }

  label(milliseconds) {
    return this.minutes > 1440 ? time(milliseconds).slice(5, 16) : time(milliseconds).slice(11, 16);
  }

  draw(Library, canvas) {
    this.chart?.destroy();
    const isDark = this.dark.matches;
    const style = getComputedStyle(document.documentElement);
    const [soft, rule] = ["--soft", "--rule"].map((name) => style.getPropertyValue(name).trim());
    const colors = isDark ? DARK : LIGHT;
    const colorOf = (index) => {
      const limited = this.lines.findIndex(({ label }) => label === this.lines[index].limits);
      return colors[limited === -1 ? index : limited];
    };
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.chart = new Library(canvas, {
      type: this.isStacked ? "bar" : "line",
      data: {
        labels: this.times.map((moment) => this.label(moment)),
        datasets: this.lines.map(({ label, values, limits }, index) => ({
          label,
          data: values,
          borderColor: colorOf(index),
          borderWidth: this.isStacked ? 0 : 2,
          borderDash: limits ? [6, 4] : [],
          pointStyle: limits ? "line" : "circle",
          // A value without neighbours has no line, so it gets a point.
          pointRadius: ({ dataIndex: at }) => (isThere(values?.[at - 1]) || isThere(values?.[at + 1]) ? 0 : 3),
          pointBackgroundColor: colorOf(index),
          clip: 4,
          pointHitRadius: 12,
          cubicInterpolationMode: "monotone",
          spanGaps: false,
          backgroundColor: this.isStacked ? colorOf(index) : `${colorOf(index)}22`, fill: Boolean(this.isFilled),
        })),
      },
      options: {
        responsive: true,
        maintainAspectRatio: false,
        animation: isStill ? false : { duration: 250 },
        interaction: { mode: "index", intersect: false },
        scales: {
          x: {
            stacked: this.isStacked,
            grid: { display: false },
            border: { display: false },
            ticks: { color: soft, maxRotation: 0, autoSkip: false },
            afterBuildTicks: (axis) => {
              axis.ticks = roundMoments(this.times, axis.chart.width < NARROW ? 4 : 8).map((value) => ({ value }));
            },
          },
          y: {
            stacked: this.isStacked,
            beginAtZero: true,
            grid: { color: rule },
            ticks: {
              color: soft, precision: 0, callback: (value) => this.text(value),
              ...(this.unit === "bytes" ? { stepSize: byteStep(this.greatest()) } : { maxTicksLimit: 5 }),
            },
          },
        },
        plugins: {
          legend: {
            display: this.lines.length > 1,
            position: "bottom",
            align: "start",
            labels: {
              color: soft, boxWidth: 8, boxHeight: 8, usePointStyle: true, padding: 16,
              ...(this.isStacked ? {} : { pointStyle: "line", pointStyleWidth: 22 }),
              // Lines as they are drawn: solid, or in dashes.
              generateLabels: (chart) => Library.defaults.plugins.legend.labels.generateLabels(chart)
                .map((entry) => ({
                  ...entry, lineWidth: 2, lineDash: this.lines[entry.datasetIndex].limits ? [4, 3] : [],
                })),
            },
          },
          tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${this.text(item.raw)}` } },
        },
      },
    });
  }

  /** At most a hundred rows. Longer periods show every second, third or further step. */
  details() {
    const every = Math.max(1, Math.ceil(this.times.length / 100));
    const place = h("details", { class: "chart-words" }, h("summary", { text: "Show as a table" }));
    place.addEventListener("toggle", () => {
      if (!place.open || place.children.length > 1) return;
      place.append(table({
        label: `${this.title} as a table`,
        columns: [{ name: "Time" }, ...this.lines.map(({ label }) => ({ name: label, class: "number" }))],
        rows: this.times.map((moment, index) => [moment, index]).filter(([, index]) => index % every === 0)
          .map(([moment, index]) => [
            time(moment).slice(0, 16),
            ...this.lines.map(({ values }) => this.text(values?.[index]))
          ]),
      }));
    });
    return place;
  }
}

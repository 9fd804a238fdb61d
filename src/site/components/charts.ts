/**
 * Charts as SVG, styled by the stylesheet only. Each chart has an `aria-label`, and the pages also
 * show its figures as text.
 */
import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { Colour } from './colours.ts';

const round = (value: number): number => Math.round(value * 10) / 10;

/** The frame of a chart that stretches to the width of its box. */
function stretched(kind: string, [width, height]: readonly [number, number], label: string, content: Html): Html {
  return html`<svg
    class="chart ${kind}"
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${content}
  </svg>`;
}

interface Point {
  /** 0 to 1, from the left. */
  at: number;
  value: number;
}

/** Two points that are further apart, as a fraction of the width, are not joined. */
const GAP = 0.02;

/** A filled line over time. */
export function areaChart(points: readonly Point[], label: string): Html {
  const [width, height] = [600, 120];
  const max = Math.max(1, ...points.map(({ value }) => value));
  const runs: Point[][] = [];
  for (const point of points) {
    const last = runs.at(-1)?.at(-1);
    if (last === undefined || point.at - last.at > GAP) runs.push([point]);
    else runs.at(-1)!.push(point);
  }
  const x = ({ at }: Point): number => round(at * width);
  const y = ({ value }: Point): number => round(height - 4 - (value / max) * (height - 10));
  const line = (run: Point[]): string => run.map((point) => `${x(point)} ${y(point)}`).join('L');
  const fill = runs.map((run) => `M${x(run[0]!)} ${height}L${line(run)}L${x(run.at(-1)!)} ${height}z`).join('');
  const stroke = runs.map((run) => `M${line(run)}${run.length === 1 ? 'h1' : ''}`).join('');
  return stretched(
    'area',
    [width, height],
    label,
    html`<path class="grid" d="M0 ${height - 4}H${width}M0 ${height / 2}H${width}M0 6H${width}" />
      <path class="fill" d="${fill}" />
      <path class="line" d="${stroke}" />`,
  );
}

interface Bar {
  value: number;
  /** The tooltip. */
  title: string;
}

export function barChart(values: readonly Bar[], label: string): Html {
  const [step, height] = [10, 60];
  const max = Math.max(1, ...values.map(({ value }) => value));
  const bars = values.map(({ value, title }, index) => {
    const barHeight = value === 0 ? 1 : Math.max(3, round((value / max) * (height - 2)));
    return html`<rect
      class="${value === 0 ? 'none' : 'some'}"
      x="${index * step + 1}"
      y="${height - barHeight}"
      width="${step - 2}"
      height="${barHeight}"
      ><title>${title}</title></rect
    >`;
  });
  return stretched('bars', [values.length * step, height], label, html`${bars}`);
}

interface Segment {
  value: number;
  colour: Colour;
  title: string;
}

/** One bar, divided into segments in proportion to their values. */
export function stackedBar(segments: readonly Segment[], label: string): Html {
  const [width, height] = [1000, 20];
  const sum = segments.reduce((total, { value }) => total + value, 0);
  let left = 0;
  const visible = segments.filter(({ value }) => value > 0);
  const rects = visible.map(({ value, colour, title }) => {
    const [x, space] = [round(left), round((value / Math.max(1, sum)) * width)];
    left += space;
    return html`<rect class="c-${colour}" x="${x}" y="0" width="${Math.max(1, space - 3)}" height="${height}"
      ><title>${title}</title></rect
    >`;
  });
  return stretched('stacked', [width, height], label, html`${rects}`);
}

/** A fraction (0 to 1) as a ring with `text` in its middle. */
export function ringChart(fraction: number, label: string, text: string): Html {
  const circumference = 2 * Math.PI * 42;
  return html`<svg class="chart ring" viewBox="0 0 100 100" role="img" aria-label="${label}">
    <circle class="track" cx="50" cy="50" r="42" />
    <circle
      class="part"
      cx="50"
      cy="50"
      r="42"
      stroke-dasharray="${round(fraction * circumference)} ${round(circumference)}"
      transform="rotate(-90 50 50)"
    />
    <text x="50" y="58" text-anchor="middle">${text}</text>
  </svg>`;
}

interface Mark {
  /** 0 to 1, from the left. */
  at: number;
  colour: Colour;
  title: string;
  /** The index of the mark's line, from 0. */
  row: number;
}

/** A number of kills in a part of the time. */
export interface KillBar {
  /** 0 to 1, from the left. */
  at: number;
  /** 0 to 1. */
  height: number;
  colour: Colour;
  row: number;
}

const LINE_HEIGHT = 26;

/** The bars of one row as one shape, which stretches with the width of the chart. */
function barsOf(bars: readonly KillBar[], top: number): Html {
  const shape = bars.map(({ at, height }) => {
    const high = Math.max(2, round(height * (LINE_HEIGHT - 2)));
    return `M${round(at * 100)} ${LINE_HEIGHT - high}h.8v${high}h-.8z`;
  });
  return html`<svg
    y="${top}"
    width="100%"
    height="${LINE_HEIGHT}"
    viewBox="0 0 100 ${LINE_HEIGHT}"
    preserveAspectRatio="none"
  >
    <path class="kills-bar c-${bars[0]!.colour}" d="${shape.join('')}" />
  </svg>`;
}

/**
 * Marks along time, one line per team, before bars of kills. Horizontal positions are percentages, so that the marks stay
 * square.
 */
export function timeline(marks: readonly Mark[], bars: readonly KillBar[], rows: number, label: string): Html {
  const middle = (row: number): number => row * LINE_HEIGHT + LINE_HEIGHT / 2;
  const lines = Array.from({ length: Math.max(1, rows) }, (_, row) => middle(row));
  return html`<svg class="chart timeline" height="${lines.length * LINE_HEIGHT}" role="img" aria-label="${label}">
    ${lines.map((y) => html`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}" />`)}
    ${[...Map.groupBy(bars, ({ row }) => row)].map(([row, ofRow]) => barsOf(ofRow, row * LINE_HEIGHT))}
    ${marks.map(
      ({ at, colour, title, row }) =>
        html`<rect
          class="mark c-${colour}"
          x="${round(at * 100)}%"
          y="${middle(row) - 7}"
          width="14"
          height="14"
          rx="2"
        >
          <title>${title}</title>
        </rect>`,
    )}
  </svg>`;
}

/** A thin bar filled to `fraction`, which is clamped to 0 to 1. */
export function fillBar(fraction: number): Html {
  return html`<svg class="chart fullness" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <path class="track" d="M0 2H100" />
    <path class="part" d="M0 2H${round(Math.min(1, Math.max(0, fraction)) * 100)}" />
  </svg>`;
}

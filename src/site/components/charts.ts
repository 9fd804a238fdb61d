import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { Colour } from './colours.ts';

/** Charts as SVG without styles of their own. Each says in words what it shows; numbers stand beside it as text. */

const round = (value: number): number => Math.round(value * 10) / 10;

interface Point {
  /** 0 to 1, from the left. */
  at: number;
  value: number;
}

/** A filled line over time. A hole in the samples (`gap` of the width or more) is a hole in the line. */
export function area(points: readonly Point[], { label, gap = 0.02 }: { label: string; gap?: number }): Html {
  const [width, height] = [600, 120];
  const most = Math.max(1, ...points.map(({ value }) => value));
  const runs: Point[][] = [];
  for (const point of points) {
    const last = runs.at(-1)?.at(-1);
    if (last === undefined || point.at - last.at > gap) runs.push([point]);
    else runs.at(-1)!.push(point);
  }
  const x = ({ at }: Point): number => round(at * width);
  const y = ({ value }: Point): number => round(height - 4 - (value / most) * (height - 10));
  const line = (run: Point[]): string => run.map((point) => `${x(point)} ${y(point)}`).join('L');
  const filled = runs.map((run) => `M${x(run[0]!)} ${height}L${line(run)}L${x(run.at(-1)!)} ${height}z`).join('');
  const drawn = runs.map((run) => `M${line(run)}${run.length === 1 ? 'h1' : ''}`).join('');
  return html`<svg
    class="chart area"
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    <path class="grid" d="M0 ${height - 4}H${width}M0 ${height / 2}H${width}M0 6H${width}" />
    <path class="fill" d="${filled}" />
    <path class="line" d="${drawn}" />
  </svg>`;
}

export interface Bar {
  value: number;
  /** What a pointer that rests on the bar is told. */
  title: string;
}

export function bars(values: readonly Bar[], label: string): Html {
  const [step, height] = [10, 60];
  const most = Math.max(1, ...values.map(({ value }) => value));
  return html`<svg
    class="chart bars"
    viewBox="0 0 ${values.length * step} ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${values.map(({ value, title }, place) => {
      const tall = value === 0 ? 1 : Math.max(3, round((value / most) * (height - 2)));
      return html`<rect
        class="${value === 0 ? 'none' : 'some'}"
        x="${place * step + 1}"
        y="${height - tall}"
        width="${step - 2}"
        height="${tall}"
        ><title>${title}</title></rect
      >`;
    })}
  </svg>`;
}

export interface Part {
  value: number;
  colour: Colour;
  title: string;
}

/** One bar divided into shares. */
export function shares(parts: readonly Part[], label: string): Html {
  const total = Math.max(
    1,
    parts.reduce((sum, { value }) => sum + value, 0),
  );
  let from = 0;
  return html`<svg
    class="chart shares"
    viewBox="0 0 1000 20"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${parts
      .filter(({ value }) => value > 0)
      .map(({ value, colour, title }) => {
        const width = round((value / total) * 1000);
        const rect = html`<rect
          class="c-${colour}"
          x="${round(from)}"
          y="0"
          width="${Math.max(1, width - 3)}"
          height="20"
          ><title>${title}</title></rect
        >`;
        from += width;
        return rect;
      })}
  </svg>`;
}

/** How much of a whole, as a ring with the words in its middle. */
export function ring(quota: number, label: string, words: string): Html {
  const around = 2 * Math.PI * 42;
  return html`<svg class="chart ring" viewBox="0 0 100 100" role="img" aria-label="${label}">
    <circle class="track" cx="50" cy="50" r="42" />
    <circle
      class="part"
      cx="50"
      cy="50"
      r="42"
      stroke-dasharray="${round(quota * around)} ${round(around)}"
      transform="rotate(-90 50 50)"
    />
    <text x="50" y="58" text-anchor="middle">${words}</text>
  </svg>`;
}

export interface Mark {
  /** 0 to 1, from the left. */
  at: number;
  colour: Colour;
  title: string;
  /** Which line it stands on, from 0. */
  row: number;
}

const LINE_HEIGHT = 26;

/** Moments along a line, one line for each team. Places are shares of the width, so that marks stay square. */
export function timeLine(marks: readonly Mark[], rows: number, label: string): Html {
  const middle = (row: number): number => row * LINE_HEIGHT + LINE_HEIGHT / 2;
  const lines = Array.from({ length: Math.max(1, rows) }, (_, row) => middle(row));
  return html`<svg class="chart timeline" height="${lines.length * LINE_HEIGHT}" role="img" aria-label="${label}">
    ${lines.map((y) => html`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}" />`)}
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

/** How full something is. */
export function fullness(quota: number): Html {
  return html`<svg class="chart fullness" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <path class="track" d="M0 2H100" />
    <path class="part" d="M0 2H${round(Math.min(1, Math.max(0, quota)) * 100)}" />
  </svg>`;
}

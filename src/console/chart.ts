import { html } from 'hono/html';
import type { Html } from '#http/page.ts';

/** One column of a chart: parts stacked from the bottom. */
export interface Column {
  /** What a pointer that rests on it is told. */
  title: string;
  good: number;
  bad: number;
  limited: number;
}

const [STEP, HEIGHT, TOP] = [4, 120, 6];
const PARTS = ['good', 'bad', 'limited'] as const;

/**
 * Columns over time as SVG, without styles of its own, beside the words that say the same.
 * @param marks labels below, at a column each
 */
export function columns(all: readonly Column[], label: string, marks: readonly { at: number; text: string }[]): Html {
  const most = Math.max(1, ...all.map(({ good, bad, limited }) => good + bad + limited));
  const width = all.length * STEP;
  const days = marks.map(({ at }) => `M${at * STEP} 0V${HEIGHT}`).join('');
  return html`<div class="chart-box">
    <span class="chart-most" aria-hidden="true">${most.toLocaleString('en')}</span>
    <svg class="chart" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
      <path class="grid" d="M0 ${HEIGHT - 0.5}H${width}M0 ${TOP}H${width}${days}" />
      ${all.map((column, place) => columnAt(column, place, most))}
    </svg>
    <div class="chart-days" aria-hidden="true">${marks.map(({ text }) => html`<span>${text}</span>`)}</div>
  </div>`;
}

function columnAt(column: Column, place: number, most: number): Html | string {
  const total = column.good + column.bad + column.limited;
  if (total === 0) return '';
  let y = HEIGHT;
  const parts = PARTS.filter((part) => column[part] > 0).map((part) => {
    const tall = Math.max(1.5, (column[part] / most) * (HEIGHT - TOP));
    y -= tall;
    return html`<rect
      class="${part}"
      x="${place * STEP}"
      y="${y.toFixed(1)}"
      width="${STEP - 0.6}"
      height="${tall.toFixed(1)}"
    />`;
  });
  return html`<g><title>${column.title}</title>${parts}</g>`;
}

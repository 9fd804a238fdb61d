import { html } from 'hono/html';
import type { Html } from '#http/page.ts';

/** One column of a chart; its parts are stacked from the bottom. */
export interface Column {
  /** Tooltip. */
  title: string;
  good: number;
  bad: number;
  limited: number;
}

const [STEP, HEIGHT, TOP] = [4, 120, 6];
const PARTS = ['good', 'bad', 'limited'] as const;

/**
 * A column chart over time as SVG. It has no inline styles, which the content security policy forbids.
 * @param label the same information in words, for screen readers
 * @param marks labels below the chart, each at the index of a column
 */
export function columnChart(
  columns: readonly Column[],
  label: string,
  marks: readonly { at: number; text: string }[],
): Html {
  const max = Math.max(1, ...columns.map(({ good, bad, limited }) => good + bad + limited));
  const width = columns.length * STEP;
  const gridLines = marks.map(({ at }) => `M${at * STEP} 0V${HEIGHT}`).join('');
  return html`<div class="chart-box">
    <span class="chart-most" aria-hidden="true">${max.toLocaleString('en')}</span>
    <svg class="chart" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
      <path class="grid" d="M0 ${HEIGHT - 0.5}H${width}M0 ${TOP}H${width}${gridLines}" />
      ${columns.map((column, index) => columnAt(column, index, max))}
    </svg>
    <div class="chart-days" aria-hidden="true">${marks.map(({ text }) => html`<span>${text}</span>`)}</div>
  </div>`;
}

function columnAt(column: Column, index: number, max: number): Html | string {
  const total = column.good + column.bad + column.limited;
  if (total === 0) return '';
  let y = HEIGHT;
  const parts = PARTS.filter((part) => column[part] > 0).map((part) => {
    const height = Math.max(1.5, (column[part] / max) * (HEIGHT - TOP));
    y -= height;
    return html`<rect
      class="${part}"
      x="${index * STEP}"
      y="${y.toFixed(1)}"
      width="${STEP - 0.6}"
      height="${height.toFixed(1)}"
    />`;
  });
  return html`<g><title>${column.title}</title>${parts}</g>`;
}

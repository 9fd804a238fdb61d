import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import { html } from 'hono/html';
import type { Html } from '#http/page.ts';

/** The margin of a QR code in modules (ISO/IEC 18004). */
const MARGIN = 4;

/** A QR code as a picture within the page, so that no URL holds its text. */
export function qrCode(text: string, label: string): Html {
  const code = generate(text);
  const size = code.size + 2 * MARGIN;
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="${-MARGIN} ${-MARGIN} ${size} ${size}">
    <rect x="${-MARGIN}" y="${-MARGIN}" width="${size}" height="${size}" fill="#fff" />
    <path d="${toSvgPath(code)}" fill="#000" shape-rendering="crispEdges" />
  </svg>`;
}

import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { readFonts } from './font.ts';

/** Entry of the thread that draws share cards: receives SVG, answers with PNG (../cards.ts). */
const wasm = new URL(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'));
await initWasm(readFileSync(wasm));
const font = { fontBuffers: readFonts(), loadSystemFonts: false };

parentPort!.on('message', ({ id, svg }: { id: number; svg: string }) => {
  const drawing = new Resvg(svg, { font });
  const picture = drawing.render();
  const png = Uint8Array.from(picture.asPng());
  picture.free();
  drawing.free();
  parentPort!.postMessage({ id, png }, [png.buffer]);
});

import { ask, type Reply, type Wish } from '#test/support/request.ts';
import type { Recording } from './recording.ts';

/** Headers that say nothing about the service, or differ with each run. */
const UNRECORDED = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'etag']);

/** A picture that shows the address of the site, with its port. */
const SHOWS_ADDRESS = /^\/cards\/site\.png/;

export interface Exchange {
  origin: string;
  path: string;
  wish?: Wish;
}

/** Sends a request and records its response. */
export async function recordRequest(
  recording: Recording,
  file: string,
  { origin, path, wish = {} }: Exchange,
): Promise<Reply> {
  const reply = await ask(origin, path, wish);
  const body = wish.body === undefined ? '' : `${wish.body}\n`;
  await recording.write(
    file,
    `${wish.method ?? 'GET'} ${path}\n${body}\n${responseText(reply.status, reply.headers, SHOWS_ADDRESS.test(path) ? new Uint8Array() : reply.bytes)}`,
  );
  return reply;
}

/** Status, headers and body of a response; of a body that is no text its size. */
export function responseText(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  body: Uint8Array,
): string {
  const lines = Object.entries(headers)
    .filter(([name]) => !UNRECORDED.has(name))
    .flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`));
  return [`HTTP ${status}`, ...lines.sort(), '', bodyText(String(headers['content-type'] ?? ''), body)].join('\n');
}

function bodyText(type: string, body: Uint8Array): string {
  if (body.length === 0) return '';
  const text = Buffer.from(body).toString();
  if (/^application\/([\w-]+\+)?json/.test(type)) return JSON.stringify(JSON.parse(text), null, 1);
  if (/^(text\/html|application\/(atom\+)?xml|image\/svg)/.test(type)) return text.replaceAll('><', '>\n<');
  if (/^(text\/|application\/x-ndjson|application\/javascript)/.test(type)) return text;
  return `(${body.length} bytes)`;
}

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

/** Records the beginning of a stream of Server-Sent Events, which has no end: its headers and the time to connect again. */
export async function recordStream(
  recording: Recording,
  file: string,
  { origin, path, wish = {} }: Exchange,
): Promise<void> {
  const stop = new AbortController();
  const headers: Record<string, string> = wish.token === undefined ? {} : { authorization: `Bearer ${wish.token}` };
  const response = await fetch(`${origin}${path}`, { headers, signal: stop.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n\n')) text += (await reader.read()).value!;
  stop.abort();
  const begin = Buffer.from(text.split('\n\n', 1)[0]!.replace(/^retry: \d+$/m, 'retry: <random>'));
  await recording.write(
    file,
    `GET ${path}\n\n${responseText(response.status, Object.fromEntries(response.headers), begin)}`,
  );
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

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, runProgram } from '../support/programs.ts';
import type { Report } from '../report.ts';
import type { ServedSample } from './sample-network.ts';

const run = promisify(execFile);
const INSTALL = ['install', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error'];
const TIMEOUT_MS = 60_000;
const WEBHOOK_SECRET = `whsec_${Buffer.from('the secret of a webhook in a test').toString('base64')}`;

/** Exact versions of the npm packages of the runtimes, whose install scripts find the binary: 200 MB, which no other command needs. */
const RUNTIMES: readonly { name: string; command: readonly string[] }[] = [
  { name: 'bun@1.4.5', command: ['bun', 'run'] },
  { name: 'deno@2.9.6', command: ['deno', 'run', '--allow-net', '--quiet'] },
];

/** The program prints the same in each runtime: requests with a token, pages, errors, a mirror of all resources, webhooks. */
const programText = (origin: string, token: string): string => `
import { Scorehall, ScorehallError, verifyWebhook, WebhookError } from './client/index.js';
const client = new Scorehall({ baseUrl: ${JSON.stringify(origin)}, token: ${JSON.stringify(token)} });
const matches = [];
for await (const { id } of client.list('/v1/matches', { limit: 100 })) matches.push(id);
const unknown = await client.find('/v1/players/{id}', { id: 'nobody' });
const error = await client.get('/v1/matches/{id}', { id: 'nothing' }).catch((error) => error);
const copy = new Map();
const complete = new AbortController();
const store = {
  cursor: () => undefined,
  apply({ put, remove, more }) {
    for (const { kind, id, resource } of put) copy.set(kind + ' ' + id, resource);
    for (const { kind, id } of remove) copy.delete(kind + ' ' + id);
    if (!more) complete.abort(new Error('complete'));
  },
  clear: () => copy.clear(),
};
const end = await client.changes.mirror(store, { signal: complete.signal }).catch((error) => error.message);
const [secret, id, body] = [${JSON.stringify(WEBHOOK_SECRET)}, 'message', '{"type":"match.created","data":{}}'];
const timestamp = String(Math.floor(Date.now() / 1000));
const bytes = Uint8Array.from(atob(secret.slice(6)), (letter) => letter.charCodeAt(0));
const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode([id, timestamp, body].join('.')));
const signature = 'v1,' + btoa(String.fromCharCode(...new Uint8Array(mac)));
const headers = new Headers({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature });
const verified = await verifyWebhook(headers, body, secret);
const forged = await verifyWebhook(headers, body + ' ', secret).catch((error) => error instanceof WebhookError);
const refused = error instanceof ScorehallError && [error.status, error.code];
console.log(JSON.stringify({ matches, unknown: unknown === undefined, refused, end, copy: [...copy].sort(), verified, forged }));
`;

/** The client library gives in Bun and Deno what it gives in Node. */
export async function testRuntimes(folder: string, { origin, token }: ServedSample, report: Report): Promise<void> {
  const project = join(folder, 'runtimes');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const outDir = join(project, 'client');
  runProgram(process.execPath, [compiler, '-p', join(ROOT, 'packages/client'), '--outDir', outDir]);
  await writeFile(join(project, 'program.mjs'), programText(origin, token));
  const names = RUNTIMES.map(({ name }) => name);
  await run('npm', [...INSTALL, ...names], { cwd: project, shell: process.platform === 'win32' });
  const printed = async (command: readonly string[]): Promise<unknown> => {
    const options = { cwd: project, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 };
    const { stdout } = await run(command[0]!, [...command.slice(1), 'program.mjs'], options);
    return JSON.parse(stdout);
  };
  const expected = await printed([process.execPath]);
  for (const { name, command } of RUNTIMES) {
    const [program, ...args] = command as [string, ...string[]];
    const found = await printed([join(project, 'node_modules/.bin', program), ...args]).catch(
      ({ message }: Error) => message,
    );
    report.add(`${name}: the client library gives what it gives in Node`, summaryOf(found), isEqual(found, expected));
  }
}

const summaryOf = (found: unknown): string =>
  typeof found === 'string'
    ? found.slice(0, 300)
    : Object.entries(found as object)
        .map(
          ([name, value]) =>
            `${name} ${Array.isArray(value) && value.length > 2 ? value.length : JSON.stringify(value)}`,
        )
        .join(', ');

function isEqual(found: unknown, expected: unknown): boolean {
  try {
    assert.deepEqual(found, expected);
    return true;
  } catch {
    return false;
  }
}

import { readFile, stat } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { TemporaryError, UsageError } from '#platform/errors.ts';
import { errorOutput, output } from '#platform/process/output.ts';
import { plainHttpProblem } from '#platform/config/plain-http.ts';
import type { Agent } from '#agent/agent.ts';
import { type Command, flag, type Input, mandatory, option } from './command/command.ts';
import { installed } from '#platform/process/installed.ts';
import { untilSignalled } from '#platform/process/signals.ts';

export const commands: Command[] = [
  {
    words: 'agent',
    summary: 'Run beside a Minecraft server and report what its files say, until SIGINT or SIGTERM',
    options: {
      'server-dir': mandatory('DIR', 'The folder of the game server, which contains logs/'),
      url: option('VALUE', 'The address of the ingest (default: $INGEST_URL, else http://127.0.0.1:7403)'),
      'key-file': option('FILE', 'A file with the key of the server (default: $INGEST_KEY)'),
      'data-dir': option(
        'DIR',
        'The folder of the queue and the positions (default: scorehall-agent in the folder of the server)',
      ),
      'trust-log-links': flag('Link accounts by /link CODE in the log; see docs/connect.md first'),
      'private-network': flag('Allow plain http to an address of a private network'),
    },
    run: runAgent,
  },
];

async function runAgent(input: Input): Promise<void> {
  const serverFolder = resolve(input.required('server-dir'));
  if (!(await stat(serverFolder).catch(() => undefined))?.isDirectory())
    throw new UsageError(`--server-dir must be a folder that exists (it is "${serverFolder}").`);
  const options = {
    serverFolder,
    dataFolder: resolve(input.optional('data-dir') ?? join(serverFolder, 'scorehall-agent')),
    url: readUrl(input),
    key: await readKey(input),
    trustLinks: input.has('trust-log-links'),
    onTrouble: (sentence: string) => void errorOutput().write(`${new Date().toISOString()} ${sentence}\n`),
  };
  const stop = new AbortController();
  const signalled = untilSignalled().then(() => stop.abort());
  await using agent = await openAgent(options);
  if (options.key.startsWith('shk_test_'))
    options.onTrouble('The key is a test key: the service checks all events, but stores none.');
  output().write('ready\n');
  // Otherwise only an orderly end writes the cache, without which a start takes 40 MB more.
  flushCompileCache();
  await agent.run(stop.signal);
  await signalled;
}

/** What only another --data-dir or other rights mend; a full disk or a folder in use by another agent may pass. */
const WRONG_FOLDER: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EEXIST']);

async function openAgent(options: Parameters<typeof Agent.open>[0]): Promise<Agent> {
  const { Agent } = await installed('packages/agent', () => import('#agent/agent.ts'));
  try {
    return await Agent.open(options);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const sentence = `The agent cannot start: ${message}`;
    throw WRONG_FOLDER.has(code ?? '') ? new UsageError(sentence) : new TemporaryError(sentence);
  }
}

/** The key is sent with every request, so plain http is only for this machine, or with `--private-network`. */
function readUrl(input: Input): string {
  const url = input.optional('url') ?? process.env['INGEST_URL'] ?? 'http://127.0.0.1:7403';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--url must be an address like https://ingest.example.org (it is "${url}").`);
  if (input.has('private-network') && plainHttpProblem(url, 'private-network') === undefined) return url;
  if (plainHttpProblem(url, 'loopback') !== undefined)
    throw new UsageError(`--url must be https except on this machine, or on a private network with --private-network.`);
  return url;
}

async function readKey(input: Input): Promise<string> {
  const file = input.optional('key-file');
  const text =
    file === undefined
      ? process.env['INGEST_KEY']
      : await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
          throw new UsageError(`--key-file cannot be read (${code}).`);
        });
  const key = text?.trim() ?? '';
  if (/^shk_[\w-]+$/.test(key)) return key;
  throw new UsageError(
    'The key of the server is missing: set INGEST_KEY or --key-file to what `server create` printed, shk_….',
  );
}

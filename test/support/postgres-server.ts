/**
 * Starts the PostgreSQL of one test run. Prints one line of JSON, `{"url", "pid"}` or `{"error"}`, and ends with its
 * standard input, so that the server stops and the folder is removed even if the test run is killed with SIGKILL.
 *
 * TEST_POSTGRES_URL names a server to use instead.
 *
 *   node test/support/postgres-server.ts FOLDER     an empty folder for this run; it is removed at the end
 */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { startPostgres, stopPostgres } from './postgres-native.ts';

const folder = process.argv[2];
if (!folder) throw new Error('The argument must be a folder that this run may use and remove.');

const ended = once(process.stdin.resume(), 'end');
// Ctrl-C reaches every process of the terminal; this one ends with its standard input.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// The test run may have ended before it reads the line.
process.stdout.on('error', () => {});

try {
  const own = process.env['TEST_POSTGRES_URL'];
  const { server, url } = own ? { url: own } : await startPostgres(folder);
  console.log(JSON.stringify({ url, pid: server?.pid }));
  await ended;
  if (server) await stopPostgres(server);
} catch (error) {
  console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  await ended;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

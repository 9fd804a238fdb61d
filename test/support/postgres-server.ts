/**
 * A real PostgreSQL for one run of the tests, in a process of its own: prints one line of JSON, `{"url", "pid"}` or
 * `{"error"}`, and lives until its stdin ends. So the server stops and the folder vanishes however the run ends, be it by SIGKILL.
 *
 * TEST_POSTGRES_URL names another server to use instead.
 *
 *   node test/support/postgres-server.ts FOLDER     an empty folder made for this run; it is removed at the end
 */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { startPostgres, stopPostgres } from './postgres-native.ts';

const folder = process.argv[2];
if (!folder) throw new Error('Name the folder that this run may use and remove.');

const ended = once(process.stdin.resume(), 'end');
// Ctrl-C reaches every process of the terminal; this one waits for the run to let go.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Whoever would read the line may be gone already.
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

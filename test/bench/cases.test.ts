import assert from 'node:assert/strict';
import { openServices } from '#server/listeners.ts';
import { readConfig } from '#platform/config/config.ts';
import { openBenchClient } from '#bench/client.ts';
import type { Case } from '#bench/case.ts';
import { CASES } from '#bench/cases.ts';
import { generateDatabase } from '#bench/generated.ts';
import { sql } from '#db/sql.ts';
import { openAppContext } from '#context/context.ts';
import { onEachEmptyDatabase } from '#test/support/context.ts';

const SECRET_KEY = 'a secret that is long enough for tests';
const LISTENS = { API_LISTEN: '127.0.0.1:0', AUTH_LISTEN: '127.0.0.1:0', SITE_LISTEN: '127.0.0.1:0' };

onEachEmptyDatabase(
  'every request of the bench gets the expected status, and its application is deleted afterwards',
  async (_t, url) => {
    await generateDatabase({ matches: 30, seed: 'test', database: url, players: 40 }, () => undefined);
    const settings = { ...LISTENS, SECRET_KEY, DATABASE_URL: url, LOG_LEVEL: 'silent' };
    await using context = await openAppContext(readConfig(settings));
    await using services = await openServices(context, ['API', 'AUTH', 'SITE']);
    {
      await using client = await openBenchClient(url, { SECRET_KEY });
      for (const [service, casesOf] of CASES) {
        for (const one of await casesOf(client)) await check(one, services.addresses[service]!);
      }
    }
    const [left] = await context.db.tuples(sql`select count(*) from applications where name = 'bench'`);
    assert.deepEqual(left, [0]);
  },
);

async function check({ name, nextRequest, prepare, status }: Case, origin: string): Promise<void> {
  await prepare?.(origin);
  for (let time = 0; time < 2; time++) {
    const { path, headers, ...request } = nextRequest()!;
    const response = await fetch(origin + path, { ...request, headers: { ...headers, 'accept-encoding': 'identity' } });
    assert.equal(response.status, status, `${name}: ${await response.text()}`);
    // The load generator can only read responses with Content-Length.
    if (status !== 304) assert.ok(response.headers.has('content-length'), `${name} has no Content-Length`);
  }
}

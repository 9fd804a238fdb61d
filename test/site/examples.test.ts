import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { after, before, describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { runJobsOnce } from '#server/jobs.ts';
import { openServices } from '#server/listeners.ts';
import { readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { newWebhookSecret } from '#store/applications/webhooks/webhooks.ts';
import { serverByName } from '#store/game/servers.ts';
import { type Placeholders, example } from '#site/developers/guide.ts';
import { shareSigningKey } from '#test/auth/signing-key.ts';
import { authorize, makeAccount, makeApplication } from '#test/auth/support.ts';
import { match, person, serviceToken, team, sendEvents } from '#test/support/builders.ts';
import { createTestDatabase, TestClock, type TestAppContext, testContext } from '#test/support/context.ts';
import { page } from './request.ts';
import { freePorts } from '#test/support/ports.ts';

const run = promisify(execFile);
const STEVE = person(1, 'Steve');

interface World {
  context: TestAppContext;
  placeholders: Placeholders;
}

/** Starts every service that the examples call, with the values of their placeholders. */
async function openWorld(closing: AsyncDisposableStack): Promise<World> {
  const database = await createTestDatabase('sqlite');
  const [api, auth, ingest, redirectPort] = await freePorts(4);
  const urls = { API_URL: origin(api!), AUTH_URL: origin(auth!), INGEST_URL: origin(ingest!) };
  const secret = { SECRET_KEY: 'a secret that is long enough for tests', SMTP_URL: 'smtp://127.0.0.1:1' };
  const config = readConfig({ ...urls, ...secret, DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
  const context = (await openAppContext(config, new TestClock(Date.now()))) as TestAppContext;
  await shareSigningKey(context);
  const services = await openServices(context, ['API', 'AUTH', 'INGEST']);
  closing.defer(() => database.drop());
  closing.use(context);
  closing.use(services);
  await sendEvents(
    context,
    ...Array.from({ length: 120 }, () => match({ teams: [team('Red', { ...STEVE, kill_count: 2 })] })),
  );
  await makeAccount(
    { context, auth: config.AUTH_URL, api: config.API_URL, listens: config.AUTH_URL },
    'Someone',
    STEVE,
  );
  await makeAccount({ context, auth: config.AUTH_URL, api: config.API_URL, listens: config.AUTH_URL }, 'Newcomer');
  const redirect = `${origin(redirectPort!)}/callback`;
  const { application, secret: clientSecret } = await makeApplication({ context }, 'service', [redirect], {
    require_pkce: true,
  });
  const server = (await serverByName(context.db, 'Alpha'))!;
  const placeholders: Placeholders = {
    api: config.API_URL,
    auth: config.AUTH_URL,
    ingest: config.INGEST_URL,
    redirect,
    player: 'steve',
    client_id: application.client_id,
    client_secret: clientSecret!,
    token: await serviceToken(context, application.client_id),
    server_key: await createServerKey(context.db, context.clock.now(), server.key),
  };
  return { context, placeholders };
}

const linesOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

const PROGRAMS = { mjs: process.execPath, py: 'python3' };
const python = await run('python3', ['--version']).then(
  () => true,
  () => false,
);
const EXTENSIONS = python ? (['mjs', 'py'] as const) : (['mjs'] as const);

const origin = (port: number): string => `http://127.0.0.1:${port}`;

async function shell(file: string, placeholders: Placeholders): Promise<string> {
  return (await run('bash', ['-c', example(file, placeholders)])).stdout;
}

/** The data API behind a limit that refuses the second page once; `pause` is the time until it was requested again. */
async function limitedOnce(t: TestContext, api: string) {
  const times: number[] = [];
  const server = createServer((request, response) => {
    if (request.url!.includes('max_id') && times.push(performance.now()) === 1) {
      response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' });
      response.end('{"error":"rate_limit","error_description":"Rate limit exceeded"}');
      return;
    }
    void fetch(api + request.url!, { headers: { authorization: request.headers.authorization! } }).then(async (page) =>
      response.end(await page.text()),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { origin: origin((server.address() as AddressInfo).port), pause: () => times[1]! - times[0]! };
}

async function start(file: string, placeholders: Placeholders) {
  const extension = file.split('.').at(-1) as keyof typeof PROGRAMS;
  const path = join(await mkdtemp(join(tmpdir(), 'example-')), file);
  await writeFile(path, example(file, placeholders));
  const child: ChildProcess = spawn(PROGRAMS[extension], [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return { line: async () => String((await lines.next()).value), ended: once(child, 'exit') };
}

/** The tests that store a match are at the end. */
describe('the examples of the developer pages run unchanged', () => {
  const closing = new AsyncDisposableStack();
  let context: TestAppContext;
  let placeholders: Placeholders;

  before(async () => {
    ({ context, placeholders } = await openWorld(closing));
  });
  after(() => closing.disposeAsync());

  test('curl of changes and lists', async () => {
    await runJobsOnce(context);
    const { changes, more } = JSON.parse(await shell('changes.sh', placeholders)) as {
      changes: { type: string }[];
      more: boolean;
    };
    const kinds = Object.groupBy(changes, ({ type }) => type);
    assert.deepEqual([kinds['match.created']!.length, kinds['player.created']!.length, more], [120, 1, false]);
    assert.deepEqual(Object.keys(linesOf(await shell('changes-next.sh', placeholders)).at(-1) as object), [
      'cursor',
      'more',
    ]);
    const asked = JSON.parse(await shell('look-up.sh', placeholders)) as { status: string }[];
    assert.deepEqual(
      asked.map(({ status }) => status),
      ['not_found', 'found', 'not_found'],
    );
    const [players] = (await shell('search.sh', placeholders)).split(/(?<=\])(?=\[)/);
    assert.equal((JSON.parse(players!) as unknown[]).length, 1);
    const filtered = JSON.parse(await shell('filters.sh', placeholders)) as { gamemode: string }[];
    assert.deepEqual(
      filtered.map(({ gamemode }) => gamemode),
      ['tdm', 'tdm', 'tdm'],
    );
    const second = JSON.parse(await shell('player-matches.sh', placeholders)) as { id: string }[];
    const response = await fetch(
      `${placeholders.api}/v1/players/steve/matches?limit=6&access_token=${placeholders.token}`,
    );
    assert.deepEqual(second, ((await response.json()) as unknown[]).slice(3));
    const board = JSON.parse(await shell('leaderboard.sh', placeholders)) as { rank: number; kill_count: number }[];
    assert.deepEqual(
      board.map(({ rank, kill_count }) => [rank, kill_count]),
      [[1, 240]],
    );
  });

  for (const extension of EXTENSIONS) {
    test(`.${extension}`, async (t) => {
      const paging = await start(`paging.${extension}`, placeholders);
      assert.equal(await paging.line(), '120 matches');
      const limited = await limitedOnce(t, placeholders.api);
      const waiting = await start(`paging.${extension}`, { ...placeholders, api: limited.origin });
      assert.equal(await waiting.line(), '120 matches');
      assert.ok(limited.pause() >= 1_000, 'it waits for the seconds of Retry-After');
      const signIn = await start(`sign-in.${extension}`, placeholders);
      const callback = await authorize(placeholders.auth, await signIn.line(), 'Steve');
      const forged = new URL(callback);
      forged.searchParams.set('state', 'forged');
      if (extension === 'mjs') {
        assert.equal((await fetch(forged)).status, 400);
        const wrong = new URL(callback);
        wrong.searchParams.set('code', 'wrong');
        assert.match(await (await fetch(wrong)).text(), /invalid_grant.*The code is unknown/, 'the error is shown');
        const denied = new URL(callback);
        denied.search = new URLSearchParams({
          ...{ state: callback.searchParams.get('state')!, error: 'access_denied', error_description: 'No.' },
        }).toString();
        assert.equal(await (await fetch(denied)).text(), 'access_denied: No.');
      }
      assert.equal(await (await fetch(callback)).text(), 'Hello, Steve: 120 matches.');
      await signIn.ended;
      const unlinked = await start(`sign-in.${extension}`, placeholders);
      const itsCallback = await authorize(placeholders.auth, await unlinked.line(), 'Newcomer');
      const greeting = await (await fetch(itsCallback)).text();
      assert.equal(greeting, 'Hello, Newcomer: no game account is linked to your account yet.');
      await unlinked.ended;
    });
  }

  test('the sign-in with curl', async () => {
    const child = spawn('bash', ['-c', example('sign-in.sh', placeholders)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const callback = await authorize(placeholders.auth, String((await lines.next()).value), 'Steve');
    child.stdin.end(`${callback.href}\n`);
    const output = String((await lines.next()).value);
    assert.match(output, /"preferred_username":"Steve"[\s\S]*"total":\{"kill_count":240/);
  });

  test('curl', async () => {
    const matches = JSON.parse(await shell('quick-start.sh', placeholders)) as { teams: unknown[] }[];
    assert.deepEqual([matches.length, matches[0]!.teams.length], [3, 1]);
    assert.deepEqual(JSON.parse(await shell('client-id.sh', placeholders)), { count: 0 });
    const player = JSON.parse(await shell('player.sh', placeholders)) as {
      name: string;
      total: { kill_count: number };
    };
    assert.deepEqual([player.name, player.total.kill_count], ['Steve', 240]);
    assert.match(await shell('limits.sh', placeholders), /^HTTP\/1.1 200[\s\S]*x-ratelimit-limit: 900[\s\S]*etag: W/i);
    for (let times = 0; times < 2; times++)
      assert.match(await shell('ingest.sh', placeholders), /"accepted"/, 'it is not stored');
    const stored = async (): Promise<string> =>
      (await run('bash', ['-c', example('ingest.sh', placeholders).replace('?dry_run=1', '')])).stdout;
    assert.match(await stored(), /"accepted"/);
    assert.match(await stored(), /"duplicate"/);
  });

  test('curl of the stream', async (t) => {
    const child = spawn('bash', ['-c', `exec ${example('changes-stream.sh', placeholders).replace(/^#.*\n/gm, '')}`]);
    t.after(() => child.kill());
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const until = async (wanted: string): Promise<void> => {
      for (let line = await lines.next(); line.value !== wanted; line = await lines.next())
        assert.ok(!line.done, wanted);
    };
    await until('event: presence');
    await sendEvents(context, match({ teams: [team('Red', STEVE)] }));
    await until('event: change');
    assert.match(String((await lines.next()).value), /^data: \{"id":"\w{11}","type":"match\.created"/);
  });
});

test('the page of limits says what is limited how', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url, { SERVER_LIMIT: '1234' });
  const html = await page(context, '/developers/rules');
  const rows = [...html.matchAll(/<th scope="row">(?:the|only|wrong)[\s\S]*?<\/tr>/g)].map(([row]) => row);
  assert.deepEqual(
    rows.slice(0, 5).map((row) => /([\d,]+)<\/td>\s*<\/tr>/.exec(row)?.[1]),
    ['900', '900', '600', '1,234', '600'],
  );
  assert.match(await page(context, '/developers/rules?lang=ja'), /利用者のアクセストークン[\s\S]*900/);
});

test('the receiver of webhooks accepts what the command sends, and nothing without its signature', async (t) => {
  const [port] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-receiver-'));
  const file = join(folder, 'webhook-receiver.mjs');
  await writeFile(file, example('webhook-receiver.mjs', {} as Placeholders));
  const environment = { ...process.env, WEBHOOK_SECRET: newWebhookSecret(), PORT: String(port) };
  const receiver = spawn(process.execPath, [file], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => void receiver.kill());
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'ready');
  const send = async (secret: string): Promise<string> =>
    (
      await run('sh', ['-c', example('webhook.sh', {} as Placeholders)], {
        env: { ...environment, WEBHOOK_SECRET: secret },
      })
    ).stdout;
  assert.match(await send(newWebhookSecret()), /^HTTP\/1\.1 401/);
  assert.match(await send(environment.WEBHOOK_SECRET), /^HTTP\/1\.1 204/);
  assert.match(String((await lines.next()).value), /^webhook\.test/);
});

test('the sign-in guide says where an app exchanges the code, and how a service with a phone app gets it', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  for (const language of ['en', 'ja']) {
    const html = await page(context, `/developers/sign-in?lang=${language}`);
    const paragraphs = [...html.matchAll(/<p>(.*?)<\/p>/gs)].map(([, text]) => text!);
    for (const [name, where] of [
      ['Electron', 'open-url'],
      ['Tauri', '@tauri-apps/plugin-http'],
      ['Capacitor', 'CapacitorHttp.post'],
      ['service', 'com.example.app:/done'],
    ] as const)
      assert.ok(
        paragraphs.some((text) => text.includes(`<code>${name}</code>`) && text.includes(where)),
        name,
      );
    assert.match(html, /allowInsecureRequests/, 'the sign-in of this network is on plain http');
  }
});

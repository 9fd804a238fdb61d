import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { shareSigningKey } from '#test/auth/signing-key.ts';
import { launchBrowser } from '#test/support/browser.ts';
import { application, match, person, sendEvents, team } from '#test/support/builders.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { keyOf } from '#platform/ids.ts';
import { createTestDatabase, type TestAppContext, testContext, testServices } from '#test/support/context.ts';
import { listen } from './listen.ts';

const run = promisify(execFile);
const PROJECT = join(import.meta.dirname, '../../..');
const PACKAGE = 'node_modules/scorehall-client';
const EXAMPLES = `${PACKAGE}/examples/`;
const STEVE = person(1, 'Steve');

/** The blocks of code of the package's README in a language. */
async function readmeBlocks(language: string): Promise<string[]> {
  const text = await readFile(join(PROJECT, 'packages/client/README.md'), 'utf8');
  return [...text.matchAll(new RegExp('^```' + language + '\\n([\\s\\S]*?)^```', 'gm'))].map(([, block]) => block!);
}

/** Resolves when the service has answered a request whose address matches. */
async function answered(address: RegExp): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (message: unknown): void => {
    if (address.test((message as { request: IncomingMessage }).request.url!)) resolve();
  };
  subscribe('http.server.response.finish', look);
  await promise;
  unsubscribe('http.server.response.finish', look);
}

describe('the package, packed and installed by the commands of its README', () => {
  let folder: string;
  let project: string;
  const closing: (() => PromiseLike<void>)[] = [];
  let context: TestAppContext;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'scorehall-client-'));
    project = join(folder, 'project');
    const checkout = join(folder, 'checkout');
    await cp(join(PROJECT, 'packages/client'), join(checkout, 'packages/client'), { recursive: true });
    await symlink(join(PROJECT, 'node_modules'), join(checkout, 'node_modules'), 'junction');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    const npm = {
      npm_config_offline: 'true',
      npm_config_cache: join(folder, 'cache'),
      npm_config_update_notifier: 'false',
    };
    for (const commands of await readmeBlocks('sh'))
      await run('bash', ['-ec', commands], { cwd: project, env: { ...process.env, ...npm, SCOREHALL: checkout } });

    const database = await createTestDatabase('sqlite');
    context = await testContext({ after: (close) => void closing.push(close) }, database.url);
    closing.push(() => database.drop());
    await shareSigningKey(context);
    const { API, AUTH } = await testServices(context, ['API', 'AUTH']);
    const { client_id, secret } = await application(context);
    env = { ...process.env, API_URL: API, AUTH_URL: AUTH, CLIENT_ID: client_id, CLIENT_SECRET: secret };
  });

  after(async () => {
    for (const close of closing) await close();
    await rm(folder, { recursive: true });
  });

  const played = (mapName: string): Promise<string[]> =>
    sendEvents(context, match({ map: mapName, teams: [team('Red', { ...STEVE, kill_count: 2 }), team('Blue')] }));

  /** Starts a program in the project. */
  function start(t: TestContext, file: string, settings: NodeJS.ProcessEnv = {}) {
    const options = { cwd: project, env: { ...env, ...settings } };
    const child = spawn(process.execPath, [file], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const stop = async (): Promise<void> => {
      child.kill();
      await ended;
    };
    t.after(stop);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { stop, line: async (): Promise<string> => String((await lines.next()).value) };
  }

  test('it has no dependency, nothing of Node alone, and the version of the service', async () => {
    const [manifest, service] = await Promise.all(
      [join(project, PACKAGE), PROJECT].map(async (path) =>
        JSON.parse(await readFile(join(path, 'package.json'), 'utf8')),
      ),
    );
    assert.deepEqual([manifest.dependencies, manifest.version], [undefined, service.version]);
    for (const file of globSync(join(project, PACKAGE, 'dist/*.js')))
      assert.doesNotMatch(await readFile(file, 'utf8'), /node:|process\.|Buffer/, file);
  });

  test('its types are right for pages and for Node', async () => {
    const blocks = await readmeBlocks('ts');
    for (const [index, block] of blocks.entries()) await writeFile(join(project, `readme-${index}.ts`), block);
    const page = `import { Scorehall, verifyWebhook } from 'scorehall-client';
      const client = new Scorehall({ baseUrl: location.origin, clientId: 'c' });
      export const maps: string[] = (await client.get('/v1/matches', { limit: 3 })).map(({ map }) => map);
      // @ts-expect-error -- a match has no such member
      export const wrong = (await client.get('/v1/matches'))[0]?.nothing;
      for await (const change of client.changes.follow('now')) {
        if (change.type === 'player.changed') change.resource?.uuid.trim();
        // @ts-expect-error -- this is a map
        if (change.type === 'map.changed') change.resource?.uuid;
      }
      export const verified: unknown = await verifyWebhook(new Headers(), new Uint8Array(), '');`;
    await writeFile(join(project, 'page.ts'), page);
    const strict = { strict: true, noEmit: true, target: 'esnext', allowJs: true, checkJs: false, skipLibCheck: false };
    const configs = {
      page: {
        compilerOptions: {
          ...strict,
          module: 'esnext',
          moduleResolution: 'bundler',
          lib: ['esnext', 'dom'],
          types: [],
        },
        files: ['page.ts'],
      },
      node: {
        compilerOptions: {
          ...strict,
          skipLibCheck: true,
          module: 'nodenext',
          lib: ['esnext'],
          types: ['node'],
          typeRoots: [join(PROJECT, 'node_modules/@types')],
        },
        files: blocks.map((_, index) => `readme-${index}.ts`),
      },
    };
    for (const [name, config] of Object.entries(configs)) {
      await writeFile(join(project, `${name}.json`), JSON.stringify(config));
      const { stdout } = await run(
        process.execPath,
        [join(PROJECT, 'node_modules/typescript/bin/tsc'), '-p', `${name}.json`],
        {
          cwd: project,
        },
      ).catch((error: { stdout: string }) => error);
      assert.equal(stdout, '', name);
    }
  });

  test('the first program of the README runs', async (t) => {
    await played('Harbour');
    const [program] = await readmeBlocks('ts');
    await writeFile(join(project, 'first.ts'), program!);
    const { line } = start(t, 'first.ts');
    assert.deepEqual([await line(), await line()], ['Steve: 2 kills', 'Harbour: draw']);
    assert.match(await line(), /^404 not_found: /);
  });

  test('the bot posts each new result to Discord, and after a pause what it has missed', async (t) => {
    const posted: { title: string; description: string }[] = [];
    let isLimited = true;
    const posts = new EventEmitter();
    const discord = await listen(t, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        // Discord answers 429 with Retry-After in seconds, else 204.
        if (isLimited) response.writeHead(429, { 'retry-after': '0.1' }).end('{}');
        else response.writeHead(204).end();
        if (!isLimited) posted.push(JSON.parse(Buffer.concat(chunks).toString()).embeds[0]);
        isLimited = false;
        posts.emit('post');
      });
    });
    // A bot that ends before it has saved its place posts the last result again.
    const titles = (): string[] => [...new Set(posted.map(({ title }) => title))];
    const until = async (count: number): Promise<void> => {
      while (titles().length < count) await once(posts, 'post');
    };
    const settings = { DISCORD_WEBHOOK: `${discord}/api/webhooks/1/token` };
    const reading = answered(/after=now/);
    const bot = start(t, EXAMPLES + 'discord-bot.mjs', settings);
    await reading;
    await played('Delta');
    await until(1);
    assert.deepEqual([posted[0]!.title, posted[0]!.description], ['Draw on Delta', 'Red: 0\nBlue: 0']);
    await bot.stop();
    await played('Glacier');
    await played('Canyon');
    start(t, EXAMPLES + 'discord-bot.mjs', settings);
    await until(3);
    assert.deepEqual(titles(), ['Draw on Delta', 'Draw on Glacier', 'Draw on Canyon']);
  });

  test('the statistics site has a copy that follows, also after it was stopped', async (t) => {
    const [first] = await played('Atoll');
    await played('<b>Reef');
    const begin = async () => {
      const site = start(t, EXAMPLES + 'stats-site.mjs', { PORT: '0' });
      const lines = [await site.line(), await site.line()];
      assert.deepEqual(lines[1], 'The copy is complete.');
      return { ...site, maps: async () => await (await fetch(lines[0]!)).text() };
    };
    const site = await begin();
    assert.match(await site.maps(), /<td>&#60;b&#62;Reef<td>1/);
    assert.match(await site.maps(), /<td>Atoll<td>1/);
    await site.stop();
    await retractEvents(context.db, context.clock, [keyOf(first!)!]);
    const again = await begin();
    assert.doesNotMatch(await again.maps(), /Atoll/);
    await played('<b>Reef');
    assert.equal(await again.line(), 'The copy is complete.');
    assert.match(await again.maps(), /<td>&#60;b&#62;Reef<td>2/);
  });

  test('the overlay shows new results in a browser, with the Client ID alone', async (t) => {
    const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
    const page = await readFile(join(project, PACKAGE, 'examples/overlay.html'));
    const origin = await listen(t, (request, response) => {
      const path = new URL(request.url!, 'http://x').pathname;
      response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain');
      if (path === '/overlay.html') response.end(page);
      else if (path.startsWith(`/${PACKAGE}/dist/`)) response.end(readFileSync(join(project, path)));
      else response.writeHead(404).end();
    });
    await using browser = await launchBrowser();
    const tab = await browser.newPage();
    const reading = answered(/after=now/);
    await tab.goto(
      `${origin}/overlay.html?${new URLSearchParams({ api: env['API_URL']!, client_id: env['CLIENT_ID']! })}`,
    );
    await reading;
    const newest = tab.locator('#results li').first();
    await newest.waitFor();
    await played('Mesa');
    await tab.locator('#results li', { hasText: 'Mesa: Red 0 – Blue 0' }).waitFor();
    assert.equal(await newest.innerText(), 'Mesa: Red 0 – Blue 0');
    await tab.goto(`${origin}/overlay.html?${new URLSearchParams({ api: env['API_URL']!, client_id: 'unknown' })}`);
    await tab.locator('#results', { hasText: 'Client ID' }).waitFor();
  });
});

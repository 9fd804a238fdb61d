import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createInterface } from 'node:readline';
import { after, before, describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { shareSigningKey } from '#test/auth/signing-key.ts';
import { launchBrowser } from '#test/support/browser.ts';
import { application, match, person, sendEvents, serviceToken, team } from '#test/support/builders.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { keyOf } from '#platform/ids.ts';
import { createTestDatabase, type TestAppContext, testContext, testServices } from '#test/support/context.ts';
import { freePorts } from '#test/support/ports.ts';
import { signedHeaders } from '#webhooks/standard.ts';
import { newWebhookSecret } from '#store/applications/webhooks/webhooks.ts';
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

const versionOf = async (path: string): Promise<string | undefined> =>
  await run(path, ['--version']).then(
    ({ stdout }) => stdout.trim().slice(1),
    () => undefined,
  );

/** The Node with which npm was started, if it is of the lowest version that the package names; else that of the tests. */
async function lowestNode(): Promise<string> {
  const { engines } = JSON.parse(await readFile(join(PROJECT, 'packages/client/package.json'), 'utf8'));
  const [, major] = /^>=(\d+)\.\d+$/.exec(engines.node)!;
  for (const path of [process.env['npm_node_execpath'], '/usr/bin/node'])
    if (path !== undefined && (await versionOf(path))?.startsWith(`${major}.`)) return path;
  return process.execPath;
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
  let node: string;
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

    node = await lowestNode();
    const database = await createTestDatabase('sqlite');
    context = await testContext({ after: (close) => void closing.push(close) }, database.url);
    closing.push(() => database.drop());
    await shareSigningKey(context);
    const { API, AUTH } = await testServices(context, ['API', 'AUTH']);
    const { client_id, secret } = await application(context);
    const token = await serviceToken(context, client_id);
    env = { ...process.env, API_URL: API, AUTH_URL: AUTH, CLIENT_ID: client_id, CLIENT_SECRET: secret, TOKEN: token };
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
    const child = spawn(node, [file], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const stop = async (): Promise<void> => {
      child.kill();
      await ended;
    };
    t.after(stop);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, stop, line: async (): Promise<string> => String((await lines.next()).value) };
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
          // What the lowest Node has.
          lib: ['es2023'],
          noEmit: false,
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

  test('the programs of the README run with the lowest Node that it names', async (t) => {
    await played('Harbour');
    const program = (index: number, settings = {}) => start(t, `readme-${index}.js`, settings);
    const requests = program(0);
    assert.deepEqual([await requests.line(), await requests.line()], ['Steve: 2 kills', 'Harbour: draw']);
    assert.match(await requests.line(), /^404 not_found: /);
    assert.equal(await program(1).line(), 'Harbour on Alpha');
    assert.match(await program(2).line(), /^\d resources$/);
    const [port] = await freePorts(1);
    const settings = { PORT: String(port), WEBHOOK_SECRET: newWebhookSecret() };
    const { child, line } = program(3, settings);
    const send = async (secret: string): Promise<number> => {
      const body = '{"type":"webhook.test"}';
      const headers = signedHeaders([secret], { id: 'a', time: Date.now(), body });
      const sent = async () => await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body });
      for (;;) {
        const response = await sent().catch(() => undefined);
        if (response !== undefined) return response.status;
        assert.equal(child.exitCode, null, 'it listens');
      }
    };
    assert.equal(await send(settings.WEBHOOK_SECRET), 204);
    assert.equal(await line(), "{ type: 'webhook.test' }");
    assert.equal(await send(newWebhookSecret()), 400);
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

  test('the overlay shows new results in a browser that opens it as a file, with the Client ID alone', async () => {
    await using browser = await launchBrowser();
    const tab = await browser.newPage();
    const file = pathToFileURL(join(project, PACKAGE, 'examples/overlay.html')).href;
    const address = (client_id: string) => `${file}?${new URLSearchParams({ api: env['API_URL']!, client_id })}`;
    await played('Crater');
    await tab.goto(address(env['CLIENT_ID']!));
    const newest = tab.locator('#results li').first();
    await newest.waitFor();
    await played('Mesa');
    await tab.locator('#results li', { hasText: 'Mesa: Red 0 – Blue 0' }).waitFor();
    assert.equal(await newest.innerText(), 'Mesa: Red 0 – Blue 0');
    await tab.goto(address('unknown'));
    await tab.locator('#results', { hasText: 'Client ID' }).waitFor();
    await tab.goto(file);
    await tab.locator('#results', { hasText: 'Write API_URL and CLIENT_ID' }).waitFor();
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { captured } from '#test/support/captured.ts';
import { run } from '#cli/dispatch.ts';

/** Three words in a row that a line has twice: `FILE cannot be opened: the file FILE cannot be opened`. */
function repeatedIn(line: string): string | undefined {
  const words = line.toLowerCase().split(/[:;,.]?\s+/);
  const triples = words.slice(2).map((_, place) => words.slice(place, place + 3).join(' '));
  return triples.find((triple, place) => triples.indexOf(triple) !== place);
}

type Case = [environment: Record<string, string>, ...args: string[]];

const SECRET_KEY = 'a secret that is long enough for tests';

test('no message of a failing command says its sentence twice', async (t) => {
  const silent = createServer((socket) => socket.on('data', () => socket.destroy())).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const postgres = `postgres://u:p@127.0.0.1:${port}/x`;
  await using folder = await folderOf({
    'bad.db': 'hello',
    'bad.yml': 'servers: 5\n',
    'bad.json': '{',
    'empty/x': '',
  });
  const file = { DATABASE_URL: 'x.db' };
  await captured({ environment: { ...file, SECRET_KEY }, folder: folder.path }, () =>
    run(['server', 'create', '--name', 'Alpha', '--region', 'eu']),
  );
  const cases: Case[] = [
    ...['bad.db', 'empty', postgres, 'postgres://u:p@127.0.0.1:1/x'].flatMap((url): Case[] => [
      [{ DATABASE_URL: url }, 'account', 'list'],
      [{ DATABASE_URL: url }, 'serve'],
    ]),
    [{ DATABASE_URL: 'bad.db' }, 'doctor'],
    [{ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }, 'doctor'],
    [{ DATABASE_URL: 'none/x.db' }, 'account', 'list'],
    [{ ...file, SECRET_KEY: 'short' }, 'serve'],
    [{ ...file, SECRET_KEY: 'short' }, 'doctor'],
    [{ ...file, PRIVACY: '/none' }, 'serve'],
    [{ ...file, PRIVACY: '/none', LOGO: 'bad.db' }, 'doctor'],
    [{ ...file, API_LISTEN: 'foo' }, 'serve'],
    [{ ...file, API_LISTEN: `127.0.0.1:${port}` }, 'serve'],
    [{ DATABASE_URL: 'mysql://x' }, 'doctor'],
    [{ ...file, SECRET_KEY_FILE: '/none' }, 'doctor'],
    ...[
      ['import', 'events', 'none'],
      ['import', 'events', 'bad.json'],
      ['import', 'minecraft', 'none'],
      ['import', 'rotations', 'none'],
      ['import', 'pgm-maps', 'none'],
      ['import', 'plan', 'bad.db'],
      ['import', 'plan', 'none'],
      ['import', 'litebans', 'bad.db'],
      ['import', 'litebans', 'mysql://u@127.0.0.1:1/x'],
      ['apply', 'none'],
      ['apply', 'bad.yml'],
      ['apply', 'bad.json'],
      ['server', 'create', '--from', 'none'],
      ['backup', 'none/x'],
      ['restore', 'none'],
      ['restore', 'bad.db'],
      ['export', 'events', 'none/x'],
      ['mail', 'test', '--to', 'x'],
      ['account', 'show', '--account', 'Nobody'],
      ['player', 'erase', '--player', 'Nobody'],
    ].map((args): Case => [file, ...args]),
  ];
  const repeated = [];
  for (const [environment, ...args] of cases) {
    const settings = { SECRET_KEY, LOG_LEVEL: 'silent', REVOCATION_LOG: 'off', ...environment };
    if ('SECRET_KEY_FILE' in environment) Reflect.deleteProperty(settings, 'SECRET_KEY');
    const { result, out, err } = await captured({ environment: settings, folder: folder.path }, () => run(args));
    assert.ok(
      args[0] === 'doctor' || (result !== 0 && err.startsWith('scorehall: ')),
      `${JSON.stringify(environment)} ${args.join(' ')}: ${out}${err}`,
    );
    assert.doesNotMatch(err, /\n {4}at /, args.join(' '));
    for (const line of `${out}${err}`.split('\n')) {
      const words = repeatedIn(line);
      if (words !== undefined) repeated.push(`${args.join(' ')}: ${line.trim()}`);
    }
  }
  assert.deepEqual(repeated, []);
});

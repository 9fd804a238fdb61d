import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { ask } from '#test/support/request.ts';
import { onEachDatabase, onSqlite, testContext, testServices } from '#test/support/context.ts';
import { scorehall, scorehallProcess, serve } from './scorehall.ts';

onEachDatabase(
  'an operator creates an application, approves it, sets its limit, revokes its access and deletes it',
  async (t, url, dialect) => {
    const environment = { DATABASE_URL: url, SECRET_KEY: 'a secret that is long enough for tests' };
    const run = async (...args: string[]): Promise<Record<string, unknown>> => {
      const { status, out, err } = await scorehall(environment, ...args, '--json');
      assert.deepEqual([status, err], [0, ''], args.join(' '));
      return JSON.parse(out) as Record<string, unknown>;
    };
    const app = await run(
      'app',
      'create',
      '--name',
      'Bot',
      '--type',
      'service',
      '--redirect-uri',
      'https://bot.example/cb',
    );
    assert.equal(app['access'], 'none');
    assert.match(String(app['client_secret']), /^shs_[\w-]{43}$/);
    const client = ['--client-id', String(app['client_id'])];
    assert.equal('client_secret' in (await run('app', 'show', ...client)), false, 'a secret is shown once');
    const { access_token, token_type, expires_in } = await run('token', 'create', ...client);
    assert.deepEqual([token_type, expires_in], ['bearer', 3600]);

    const { origin, stop } = await (dialect === 'sqlite' ? serveInProcess : serveHere)(t, environment);
    let counted = 0;
    /** Repeats the request until it is answered so: another process on PostgreSQL learns of a change within a second. */
    const becomes = async (expected: readonly [number, string], message = 'the change is served'): Promise<void> => {
      const deadline = performance.now() + 1_000;
      for (;;) {
        const { status, headers } = await ask(origin, '/v1/servers', { token: String(access_token) });
        if (status !== 401) counted++;
        const actual = [status, headers['x-ratelimit-limit']];
        if (isDeepStrictEqual(actual, expected)) return;
        if (performance.now() > deadline) return assert.deepEqual(actual, expected, message);
      }
    };
    await becomes([403, '900'], 'refused until the application is approved');
    await run('app', 'approve', ...client);
    await becomes([200, '900']);
    await run('app', 'limit', ...client, '--limit', '5000');
    await becomes([200, '5000']);
    await run('app', 'limit', ...client, '--limit', 'default');
    await becomes([200, '900']);
    await run('app', 'revoke', ...client, '--yes');
    await becomes([403, '900']);
    const listed = ((await run('app', 'list')) as unknown as { client_id: string }[]).map(({ client_id }) => client_id);
    assert.ok(listed.includes(String(app['client_id'])));
    await run('app', 'delete', ...client, '--yes');
    await becomes([401, '600'], 'deleting the application deletes its tokens');

    await stop();
    await using db = await openDb(url);
    const subject = `application ${String(app['client_id'])}`;
    const saved = await db.get<{ used: number }>(sql`select used from rate_limits where subject = ${subject}`);
    assert.equal(saved?.used, counted, 'the shutdown saves the used rate limits');
  },
);

interface Serving {
  origin: string;
  /** Ends the service in order. */
  stop: () => Promise<void>;
}

async function serveInProcess(t: TestContext, environment: NodeJS.ProcessEnv): Promise<Serving> {
  const { child, exit, addresses } = await serve(environment);
  t.after(() => child.kill('SIGKILL'));
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    child.kill('SIGINT');
    assert.deepEqual(await exit, [0, null], 'a second SIGINT right after the first does not abort the shutdown');
  };
  return { origin: addresses['API']!, stop };
}

/** Over other connections than those of the commands, which for PostgreSQL makes it another process. */
async function serveHere(_t: TestContext, environment: NodeJS.ProcessEnv): Promise<Serving> {
  const stack = new AsyncDisposableStack();
  const context = await testContext({ after: (close) => stack.defer(close) }, environment['DATABASE_URL']!);
  const { API } = await testServices(context, ['API']);
  return { origin: API!, stop: () => stack.disposeAsync() };
}

/** Runs commands that must succeed, and returns the JSON that they print. */
function runner(url: string): (...args: string[]) => Promise<any> {
  // oxlint-disable-line typescript/no-explicit-any -- JSON of any command
  return async (...args) => {
    const { status, out, err } = await scorehall({ DATABASE_URL: url }, ...args, '--json');
    // Without SMTP a mail is printed to stderr.
    const other = err.replace(/^mail to .*\n( {2}http.*\n)*/gm, '');
    assert.deepEqual([status, other], [0, ''], args.join(' '));
    return JSON.parse(out);
  };
}

onEachDatabase('commands manage application secrets and owners, account roles and sessions', async (_t, url) => {
  const run = runner(url);
  const refused = async (...args: string[]): Promise<string> => {
    const { status, err } = await scorehall({ DATABASE_URL: url }, ...args);
    assert.equal(status, 2, args.join(' '));
    return err;
  };
  const { client_id } = await run('app', 'create', '--name', 'Bot', '--type', 'service');
  const client = ['--client-id', client_id];
  const added: string[] = [];
  for (let count = 0; count < 4; count++) added.push((await run('app', 'secret', 'add', ...client)).client_secret);
  assert.match(added[0]!, /^shs_[\w-]{43}$/);
  const secrets = await run('app', 'secret', 'list', ...client);
  assert.equal(secrets.length, 5);
  assert.deepEqual(Object.keys(secrets[0]), ['id', 'name', 'created']);
  assert.match(await refused('app', 'secret', 'add', ...client), /already has 5 secrets, the maximum/);
  const { id, withdrawn } = await run('app', 'secret', 'withdraw', ...client, '--id', secrets[0].id, '--yes');
  assert.deepEqual([id, withdrawn], [secrets[0].id, true]);
  assert.match(
    await refused('app', 'secret', 'withdraw', ...client, '--id', secrets[0].id),
    /has no secret .*app secret list/,
  );
  assert.match(await refused('app', 'secret', 'list', '--client-id', 'none'), /No application has the Client ID none/);
  const web = await run('app', 'create', '--name', 'Page', '--type', 'web', '--redirect-uri', 'https://p.example/');
  assert.match(await refused('app', 'secret', 'add', '--client-id', web.client_id), /only a service has secrets/);

  const make = (name: string) =>
    run('account', 'create', '--name', name, '--email', `${name}@example.org`, '--verified');
  const [ann, bob] = [await make('Ann'), await make('Bob')];
  const own = (verb: string, who: string): string[] => ['app', 'owner', verb, ...client, '--account', who];
  assert.deepEqual((await run(...own('add', 'ann'))).owners, ['Ann']);
  assert.match(await refused(...own('remove', 'Bob')), /Bob does not own Bot/);
  assert.match(await refused(...own('remove', 'Ann')), /Ann is the only owner of Bot/);
  assert.deepEqual((await run(...own('add', bob.id))).owners, ['Ann', 'Bob']);
  assert.match(await refused(...own('add', 'Bob')), /Bob already owns Bot/);
  assert.deepEqual((await run(...own('remove', 'Ann@example.org'), '--yes')).owners, ['Bob']);
  assert.deepEqual(
    (await run('app', 'owner', 'list', ...client)).map(({ account_id, name }: Record<string, string>) => [
      account_id,
      name,
    ]),
    [[bob.id, 'Bob']],
  );
  assert.match(await refused(...own('add', 'nobody')), /No account has the id, name or e-mail address "nobody"/);

  const role = async (value: string): Promise<string> =>
    (await run('account', 'role', '--account', 'Ann', '--role', value, '--yes')).role;
  const operator = ['account', 'role', '--account', 'Ann', '--role', 'operator'];
  assert.match(await refused(...operator), /every power over the network.*Add --yes to do it, or --dry-run/);
  assert.equal((await run(...operator, '--dry-run')).role, 'user');
  assert.equal(await role('operator'), 'operator');
  for (const act of [['role', '--role', 'user', '--yes'], ['disable'], ['delete', '--yes']]) {
    const [word = '', ...options] = act;
    assert.match(await refused('account', word, '--account', 'Ann', ...options), /Ann is the last operator/);
  }
  assert.equal((await run('account', 'delete', '--account', 'Ann', '--dry-run')).sessions, 0);
  await run('account', 'role', '--account', 'Bob', '--role', 'operator', '--yes');
  const asked = async (value: string): Promise<string> =>
    await refused('account', 'role', '--account', 'Ann', '--role', value);
  assert.match(await asked('moderator'), /takes the operator role away from Ann, who stays a moderator/);
  assert.match(await asked('user'), /takes the operator role away from Ann\./);
  const roles = ['operator', 'moderator', 'user'];
  for (const value of roles) assert.equal(await role(value), value);
  assert.match(await asked('moderator'), /lets Ann issue, change and revoke punishments/);
  assert.match(
    await refused('account', 'role', '--account', 'Ann', '--role', 'king'),
    /--role must be one of user, moderator, operator/,
  );
  await using db = await openDb(url);
  await db.run(sql`
    insert into console_sessions (hash, account_id, client_id, created, expires) values ('h', ${ann.id}, 'c', 1, 2)`);
  assert.equal((await run('account', 'sign-out', '--account', 'Ann')).name, 'Ann');
  assert.deepEqual(await db.all(sql`select hash from console_sessions`), []);

  const entries = await db.tuples(sql`
    select action, subject, label, detail from audit
    where via = 'command' and action not in ('application.create', 'account.create') order by id`);
  const [app, person] = [
    [client_id, 'Bot'],
    [ann.id, 'Ann'],
  ];
  assert.deepEqual(
    entries,
    [
      ...added.map(() => ['application.secret.create', ...app, '{}']),
      ['application.secret.withdraw', ...app, JSON.stringify({ id: secrets[0].id })],
      ['application.owner.add', ...app, JSON.stringify({ owner: ann.id })],
      ['application.owner.add', ...app, JSON.stringify({ owner: bob.id })],
      ['application.owner.remove', ...app, JSON.stringify({ owner: ann.id })],
      ['account.role', ...person, JSON.stringify({ role: 'operator' })],
      ['account.role', bob.id, 'Bob', JSON.stringify({ role: 'operator' })],
      ...roles.map((value) => ['account.role', ...person, JSON.stringify({ role: value })]),
      ['account.sign_out', ...person, '{}'],
    ],
    'a refused command leaves no audit entry',
  );
});

onSqlite('the audit log names a user without a name, as containers may have, by number', async (t, url) => {
  t.mock.method(os, 'userInfo', () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const created = await scorehall({ DATABASE_URL: url }, 'server', 'create', '--name', 'Alpha', '--region', 'eu');
  assert.deepEqual([created.status, created.err], [0, '']);
  const { out } = await scorehall({ DATABASE_URL: url }, 'audit', '--json');
  assert.match(out, new RegExp(`"user ${process.getuid?.()}"`));
});

onEachDatabase(
  'health reports the database, the number of servers, the last event, purge and mail',
  async (_t, url) => {
    const run = runner(url);
    const first = await run('health');
    assert.equal(first.database, url.startsWith('postgres') ? 'postgres' : 'sqlite');
    assert.ok(first.answer_ms >= 0);
    const { answer_ms: _, database: __, ...rest } = first;
    const empty = { servers: 0, servers_heard: 0, online: 0, last_event: null, last_match: null };
    assert.deepEqual(rest, { ...empty, last_purge: null, purge: 'ok', mail: 'written to files: SMTP_URL is empty' });
    await run('server', 'create', '--name', 'Alpha', '--region', 'eu');
    const { servers, servers_heard, last_event } = await run('health');
    assert.deepEqual([servers, servers_heard], [1, 0]);
    assert.ok(Math.abs(Date.parse(last_event) - Date.now()) < 60_000);
  },
);

test('wrong arguments end with one sentence that says what would be right', async () => {
  const mistakes: [string[], RegExp][] = [
    [['app', 'create', '--name', 'X'], /^scorehall: --type is missing\.\n$/],
    [['app', 'create', '--name', 'X', '--type', 'robot'], /^scorehall: --type must be one of installed, web, service/],
    [['app', 'create', '--name', 'X', '--type', 'web', '--redirect-uri', 'http://a.example/'], /must be https/],
    [['app', 'create', '--name', 'evil.example', '--type', 'web'], /^scorehall: --name must not contain an address/],
    [['app', 'create', '--colour', 'red'], /^scorehall: Unknown option '--colour'.*scorehall app create --help\n$/s],
    [['token', 'create', '--client-id', 'none', '--hours', '0'], /^scorehall: --hours must be a whole number from 1/],
  ];
  for (const [args, message] of mistakes) {
    const { status, out, err } = await scorehall({ DATABASE_URL: '/dev/null/none' }, ...args);
    assert.deepEqual([status, out], [2, ''], args.join(' '));
    assert.match(err, message);
  }
});

test('an unreachable database ends with one sentence', async () => {
  const { status, err } = scorehallProcess('', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, 'app', 'list');
  assert.equal(status, 1);
  assert.match(err, /^scorehall: The database cannot be reached: .*ECONNREFUSED.*\. See DATABASE_URL\.\n$/);
});

test('config prints every setting, hides passwords, and refuses an invalid value', async () => {
  const good = await scorehall({ DATABASE_URL: 'postgres://me:hunter2@db.example/x' }, 'config', '--json');
  const rows = JSON.parse(good.out) as { setting: string; value: string; default: string; meaning: string }[];
  assert.equal(rows.find(({ setting }) => setting === 'DATABASE_URL')!.value.includes('hunter2'), false);
  assert.ok(rows.every(({ meaning }) => meaning.length > 10));
  const wrong = await scorehall({ TIME_ZONE: 'Mars/Olympus' }, 'config');
  assert.deepEqual([wrong.status, wrong.out], [2, '']);
  assert.match(wrong.err, /^scorehall: TIME_ZONE must be a time zone like/);
});

test('every command has a help text', async () => {
  const { out } = await scorehall({}, '--help');
  const words = out.split('\n').flatMap((line) => /^scorehall (\S+(?: \S+)*?) {2,}/.exec(line)?.[1] ?? []);
  assert.ok(words.length > 80);
  for (const word of words) {
    const help = await scorehall({}, ...word.split(' '), '--help');
    assert.match(help.out, new RegExp(`scorehall ${word}.*--help`, 's'), word);
  }
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accountByName, createAccount } from '#store/accounts/accounts.ts';
import { newFactorCode } from '#store/accounts/factor-codes.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { configured, map, sendEvents } from '#test/support/builders.ts';
import { captured } from '#test/support/captured.ts';
import {
  createEmptyDatabase,
  onEachDatabase,
  onEachEmptyDatabase,
  onSqlite,
  testContext,
} from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { freePorts } from '#test/support/ports.ts';
import { COMMIT, VERSION } from '#platform/version.ts';
import { run } from '#cli/dispatch.ts';
import { nextStep } from '#cli/serve.ts';
import { type Ran, scorehall, serve } from './scorehall.ts';

test('--version names the version of the package and the commit', async () => {
  const commit = COMMIT === '' ? '' : ` (commit ${COMMIT})`;
  assert.deepEqual(await scorehall({}, '--version'), { status: 0, out: `scorehall ${VERSION}${commit}\n`, err: '' });
});

test('a mistyped command or option gets a suggestion, and missing options are named together', async () => {
  const mistakes: [string[], string][] = [
    [['srve'], 'There is no command "srve".\nDid you mean "serve"?\nAll commands: scorehall --help'],
    [
      ['app', 'crate', '--name', 'X'],
      'There is no command "app crate".\nDid you mean "app create"?\nCommands of app: scorehall app --help',
    ],
    [
      ['sever', 'key', 'list'],
      'There is no command "sever key list".\nDid you mean "server key list"?\nAll commands: scorehall --help',
    ],
    [
      ['erase', '--player', 'X'],
      'There is no command "erase".\nDid you mean "player erase"?\nAll commands: scorehall --help',
    ],
    [['app', 'fly'], 'There is no command "app fly".\nCommands of app: scorehall app --help'],
    [['fly'], 'There is no command "fly".\nAll commands: scorehall --help'],
    [['constructor'], 'There is no command "constructor".\nAll commands: scorehall --help'],
    [
      ['app', 'create', '--nme', 'X'],
      'Unknown option \'--nme\'. Did you mean "--name"? See: scorehall app create --help',
    ],
    [['app', 'create'], '--name and --type are missing.'],
    [['app', 'create', '--name', '', '--type', 'web'], '--name is missing.'],
    [['account', 'create', '--verified'], '--name and --email are missing.'],
    [
      ['account', 'create', '--name', 'Ann', '--email', 'nope'],
      '--email must be an address like name@example.org (it is "nope").',
    ],
    [
      ['app', 'create', '--name', 'X', '--type', 'web'],
      '--redirect-uri is missing: the type web needs one, because it only signs people in.',
    ],
    [
      ['app', 'create', '--name', 'X', '--type', 'installed'],
      '--redirect-uri is missing: the type installed needs one, because it only signs people in.',
    ],
    [
      ['account', 'disable', '--name', 'Ann'],
      "Unknown option '--name'. It needs --account WHO: The id, name or e-mail address of the account. See: scorehall account disable --help",
    ],
    [
      ['account', 'disable', '--account', 'Ann', '--name', 'Ann'],
      "Unknown option '--name'. See: scorehall account disable --help",
    ],
    [['account', 'email'], '--account and --email are missing.'],
    [['account', 'link'], '--account and --uuid are missing.'],
    [['player', 'merge'], '--from and --into are missing.'],
    [['punishment', 'issue'], '--player and --type are missing.'],
    [['punishment', 'revoke'], '--reason is missing.'],
    [['punishment', 'revoke', '--reason', 'x'], 'Give either --punishment or --player.'],
    [['access', 'refuse'], '--request and --note are missing.'],
    [['app', 'secret', 'withdraw'], '--client-id and --id are missing.'],
  ];
  for (const [args, sentence] of mistakes)
    assert.deepEqual(await scorehall({}, ...args), { status: 2, out: '', err: `scorehall: ${sentence}\n` });
  const { out } = await scorehall({}, 'app', 'create', '--help');
  assert.match(out, /--type VALUE +The type: installed, web or service \(required\)\n/);
  assert.match((await scorehall({}, 'job', 'pause', '--help')).out, /--job ID .*\(required\)\n/);
});

test('a command needs a network; only those that begin one create a database', async () => {
  await using folder = await folderOf({});
  const DATABASE_URL = join(folder.path, 'wrong/scorehall.db');
  for (const args of [
    ['server', 'list'],
    ['health'],
    ['app', 'delete', '--client-id', 'x'],
    ['export', 'events', '-'],
  ]) {
    const { status, err } = await scorehall({ DATABASE_URL }, ...args);
    const sentence = `There is no database ${DATABASE_URL}. Correct DATABASE_URL, or begin a network: scorehall serve.`;
    assert.deepEqual([status, err], [2, `scorehall: ${sentence}\n`], args.join(' '));
  }
  assert.equal(existsSync(join(folder.path, 'wrong')), false);
  assert.equal((await scorehall({ DATABASE_URL }, 'server', 'create', '--name', 'A', '--region', 'eu')).status, 0);
  assert.equal((await scorehall({ DATABASE_URL }, 'server', 'list')).status, 0);
});

onEachEmptyDatabase('a database without tables stays empty when a command only reads', async (_t, url, dialect) => {
  for (let attempt = 0; attempt < 2; attempt++) {
    const { status, err } = await scorehall({ DATABASE_URL: url }, 'server', 'list');
    assert.equal(status, 2);
    const start = dialect === 'sqlite' ? 'There is no database' : 'The database of DATABASE_URL is empty';
    assert.ok(err.startsWith(`scorehall: ${start}`) && !err.includes('\n    at '), err);
  }
});

test('a file that is no database, or a folder, ends with one sentence', async () => {
  await using folder = await folderOf({ 'text.db': 'This is some text, and no database at all.'.repeat(50) });
  for (const path of ['text.db', '.', 'text.db/below.db']) {
    const { status, err } = await scorehall(
      { DATABASE_URL: join(folder.path, path) },
      'server',
      'create',
      '--name',
      'A',
      '--region',
      'eu',
    );
    assert.equal(status, 2, path);
    assert.match(err, /^scorehall: The SQLite file .* cannot be opened: .*\. See DATABASE_URL\.\n$/, path);
  }
});

test('a missing PostgreSQL database or role ends with one sentence that says what to do', async (t) => {
  const database = await createEmptyDatabase('postgres');
  t.after(() => database.drop());
  const other = (change: (url: URL) => void): string => {
    const changed = new URL(database.url);
    change(changed);
    return changed.href;
  };
  const none = await scorehall({ DATABASE_URL: other((it) => (it.pathname = '/nowhere')) }, 'server', 'list');
  assert.equal(none.status, 2);
  assert.match(
    none.err,
    /^scorehall: The PostgreSQL database "nowhere" does not exist\. Create it \(createdb .*nowhere\) or change DATABASE_URL\.\n$/,
  );
  const stranger = await scorehall(
    { DATABASE_URL: other((it) => ((it.username = 'nobody'), (it.password = 'x'))) },
    'server',
    'list',
  );
  assert.equal(stranger.status, 2);
  assert.match(stranger.err, /^scorehall: PostgreSQL refuses the role "nobody": it does not exist, or .*\.\n$/);
});

/** Runs `config` in a folder with this `.env`. */
async function config(env: string, environment: NodeJS.ProcessEnv = {}): Promise<Ran> {
  await using folder = await folderOf({ '.env': env });
  const { result, err, out } = await captured({ environment, folder: folder.path }, () => run(['config', '--json']));
  return { status: result, err: err.replaceAll(folder.path, ''), out };
}

test('.env: a swallowed value and a misspelled setting are errors, another variable is named', async () => {
  const swallowed = await config('# Colours\nACCENT_COLOR=#123456\n');
  assert.deepEqual(
    [swallowed.status, swallowed.err],
    [
      2,
      'scorehall: /.env, line 2: ACCENT_COLOR is empty, because # begins a comment; write the value in quotes: ACCENT_COLOR="…#…".\n',
    ],
  );
  assert.match((await config('SMTP_URL=smtp://me:pa#ss@host')).err, /line 1: SMTP_URL is cut off, because #/);
  const misspelled = await config('NETWORK_NAME=x\nDATABSE_URL=other.db');
  assert.deepEqual(
    [misspelled.status, misspelled.err],
    [2, 'scorehall: /.env, line 2: there is no setting DATABSE_URL. Did you mean "DATABASE_URL"?\n'],
  );
  const fine = 'ACCENT_COLOR="#123456"\nNETWORK_NAME=Moor # the old one\nCONTACT= # later\nexport TIME_ZONE=UTC\n';
  const good = await config(fine);
  assert.deepEqual([good.status, good.err], [0, '']);
  assert.match(good.out, /"ACCENT_COLOR","value":"#123456"/);
  assert.match((await config('DOMAIN=moor.example')).out, /"SITE_URL","value":"https:\/\/www\.moor\.example"/);
  const foreign = await config('COMPOSE_PROJECT_NAME=x', { DATABASE_ULR: 'x', PATH: '/bin', HOME: '/' });
  assert.deepEqual(
    [foreign.status, foreign.err.split('\n')],
    [
      0,
      [
        'scorehall: The variable DATABASE_ULR is no setting and is ignored. Did you mean "DATABASE_URL"?',
        'scorehall: /.env, line 1: COMPOSE_PROJECT_NAME is no setting of Scorehall and is ignored; scorehall config lists all settings.',
        '',
      ],
    ],
  );
});

onSqlite(
  'serve prints the address of the site and the next command, and warns once of what the doctor finds',
  async (_t, url) => {
    const settings = {
      DATABASE_URL: url,
      NETWORK_NAME: 'Moor',
      SECRET_KEY: 'a secret that is long enough for tests',
      REVOCATION_LOG: '/dev',
    };
    const { child, exit, output, log } = await serve({ ...settings, npm_lifecycle_event: 'start' });
    child.kill('SIGTERM');
    await exit;
    assert.match(
      output(),
      /^ready\nThe site is at http:\/\/127\.0\.0\.1:7402\nNext: npm run -s scorehall -- account create .*--role operator\n$/,
    );
    const [warning, ...others] = log.filter(({ level }) => level > 30).map(({ msg }) => msg);
    assert.match(warning!, /^REVOCATION_LOG: \/dev cannot be written \(it is a folder\), so a restored backup/);
    assert.deepEqual(others, []);
  },
);

onEachDatabase('the next command is the one that the network needs, as this start calls it', async (t, url) => {
  const context = await testContext(t, url, { NETWORK_NAME: 'Moor' });
  const strict = await testContext(t, url, { OPERATOR_SECOND_FACTOR: 'required' });
  const next = async (environment: NodeJS.ProcessEnv = {}, of = context): Promise<string> =>
    (await captured({ environment }, () => nextStep(of))).result;
  const npm = { npm_lifecycle_event: 'start' };
  const empty = await next(npm, await testContext(t, url));
  assert.match(
    empty,
    /^This is an empty network .*\n.*: npm run -s scorehall -- setup\n.*: npm run -s scorehall -- demo\n$/,
  );
  assert.match(
    await next({}, await testContext(t, url, { DOMAIN: 'moor.example' })),
    /^Next: scorehall account create /,
  );
  assert.match(await next(), /^Next: scorehall account create .*--role operator\n$/);
  assert.match(await next(npm), /^Next: npm run -s scorehall -- account create /);
  await createAccount(context.db, 1, {
    name: 'Ann',
    email: 'a@example.org',
    password: null,
    email_verified: true,
    role: 'operator',
  });
  assert.match(await next(), /^Next: scorehall server create /);
  await sendEvents(context, configured('Alpha'));
  assert.match(await next(), /^Next: scorehall import pgm-maps DIR\n$/);
  await sendEvents(context, map('Keep'));
  assert.equal(await next(), '');
  assert.equal(
    await next(npm, strict),
    'The console is closed to Ann (operator), who has no second factor. ' +
      'Next: npm run -s scorehall -- account factor-code --account Ann\n',
  );
  await newFactorCode(context.db, Date.now(), (await accountByName(context.db, 'Ann'))!.id);
  assert.equal(await next(npm, strict), '', 'the code is there');
});

test('mail test sends one mail and prints the answer of the mail server, or says why there is none', async (t) => {
  const mailbox = await Mailbox.open(t);
  const settings = { SMTP_URL: mailbox.url, NETWORK_NAME: 'Moor', DATABASE_URL: '/dev/null/none' };
  const { status, out, err } = await scorehall(settings, 'mail', 'test', '--to', 'me@example.org', '--json');
  assert.deepEqual([status, err], [0, '']);
  const { from, answer } = JSON.parse(out) as { from: string; answer: string };
  assert.deepEqual([from, answer.slice(0, 3)], ['"Moor" <no-reply@localhost>', '250']);
  const { subject, text } = await mailbox.next('me@example.org');
  assert.equal(subject, 'Test mail of Moor');
  assert.match(text, /This is a test of the mail server of Moor/);

  const refused = async (environment: NodeJS.ProcessEnv, to = 'me@example.org'): Promise<string> => {
    const failed = await scorehall({ ...settings, ...environment }, 'mail', 'test', '--to', to);
    assert.deepEqual([failed.status, failed.out], [2, '']);
    return failed.err;
  };
  const [port] = await freePorts(1);
  assert.match(
    await refused({ SMTP_URL: `smtp://me:hunter2@127.0.0.1:${port}` }),
    /^scorehall: The mail server 127\.0\.0\.1:\d+ could not be used: .*ECONNREFUSED[^\n]*\. See SMTP_URL and MAIL_FROM\.\n$/,
  );
  const signedIn = await refused({ SMTP_URL: mailbox.url.replace('//', '//me:hunter2@') });
  assert.match(signedIn, /^scorehall: The mail server .* (answered|could not be used): [^\n]*\n$/);
  assert.ok(!signedIn.includes('hunter2'));
  assert.match(await refused({ SMTP_URL: '' }), /SMTP_URL is not set: mails are written to/);
  assert.match(await refused({}, 'a@b.c, d@e.f'), /--to must be one mail address/);
});

import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingNames, readConfig, type SettingName, SETTINGS } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { UsageError } from '#platform/errors.ts';
import type { Setting } from '#platform/config/setting.ts';

const read = (name: SettingName, value: string): unknown => readConfig({ [name]: value })[name as 'CONTACT'];
const listen = (settings: Record<string, string>) => readConfig(settings).listen.API;

/** The error message with which the service refuses to start. */
function refusal(settings: Record<string, string>): string {
  let config: unknown;
  try {
    config = readConfig(settings);
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return error.message;
  }
  assert.fail(`accepted: ${JSON.stringify(settings)} as ${JSON.stringify(config)}`);
}

test('without any settings the service listens on loopback only and uses a SQLite file', () => {
  const config = readConfig({});
  assert.deepEqual(config.listen, {
    API: { host: '127.0.0.1', port: 7400 },
    AUTH: { host: '127.0.0.1', port: 7401 },
    SITE: { host: '127.0.0.1', port: 7402 },
    INGEST: { host: '127.0.0.1', port: 7403 },
  });
  assert.equal(config.DATABASE_URL, 'data/scorehall.db');
  assert.deepEqual([config.USER_LIMIT, config.APP_LIMIT, config.ADDRESS_LIMIT], [900, 900, 600]);
  assert.deepEqual([config.PRESENCE_TIMEOUT, config.TIME_ZONE, config.TRUSTED_PROXIES], [120, 'UTC', []]);
});

test('an empty setting has its default', () => {
  const empty = Object.fromEntries(settingNames().map((name) => [name, '']));
  assert.deepEqual(readConfig(empty), readConfig({}));
});

test('every setting has a description and a default', () => {
  for (const [name, { meaning, default: fallback }] of Object.entries(SETTINGS)) {
    assert.match(name, /^[A-Z_]+$/);
    assert.ok(meaning.length > 10, name);
    assert.equal(typeof fallback, 'string');
  }
});

const WRONG: Partial<Record<SettingName, string[]>> = {
  NETWORK_NAME: ['x'.repeat(65)],
  CONTACT: ['x'.repeat(513)],
  DOMAIN: [
    'https://example.org',
    'example.org/x',
    'example.org:443',
    'example',
    'a b.org',
    'me@example.org',
    '10.0.0.1',
  ],
  APPEAL_URL: ['appeals', 'help@example.org', 'javascript:alert(1)', 'https://a:b@x', `https://x/${'x'.repeat(512)}`],
  API_URL: [
    'api.example.org',
    'ftp://x',
    'https://x/v1',
    'https://x?y',
    'https://x#y',
    'https://u:p@x',
    'x',
    'https://',
  ],
  SITE_URL: ['nonsense', 'https://example.org/site'],
  API_LISTEN: ['localhost', '127.0.0.1:', '127.0.0.1:99999', ':x', '127.0.0.1:-1', 'relative/socket', '80 80'],
  DATABASE_URL: ['mysql://x/y', ':memory:', 'http://x', 'redis:x', 'postgres://u:p@[/x'],
  TIME_ZONE: ['Mars/Olympus', '09:00', 'GMT+9', 'x'],
  USER_LIMIT: ['0', '-1', '1.5', '1e3', 'many', '1000000001', ' 5', '0x10'],
  APP_LIMIT: ['0', 'NaN'],
  ADDRESS_LIMIT: ['0', '∞'],
  SIGN_IN_LIMIT: ['0', '-1'],
  TOKEN_LIMIT: ['0', '-1'],
  LIVE_TOKEN_LIMIT: ['0', '100001'],
  INGEST_LIMIT: ['-1', 'none'],
  INGEST_WEIGHT_LIMIT: ['-1', 'none'],
  NEW_PLAYERS_LIMIT: ['-1', 'none'],
  COUNTERS: ['redis', 'Memory'],
  ACCESS_APPROVAL: ['yes'],
  PRESENCE_TIMEOUT: ['0', '86401', '2m'],
  PLAIN_HTTP: ['yes', 'everywhere'],
  AUDIT_LIFETIME: ['1h', 'forever', '11y'],
  CHANGES_LIFETIME: ['23h', 'forever', '11y'],
  REGISTRATION: ['maybe'],
  REFRESH_GRACE: ['61', '2m', '-1', '1y', 'x'],
  ACCESS_TOKEN_LIFETIME: ['1', '59s', '2d', '1.5h'],
  SESSION_LIFETIME: ['299', '2592001', '31d', '90d'],
  WEBHOOK_NETWORKS: ['10.0.0.0/8', '[fd00::/8]', 'fd00::1'],
  INTROSPECTORS: ['nope', '0123456789abcdef0123456', '0123456789abcdef01234567,nope'],
  MAIL_FROM: ['nobody', 'Nobody <nobody>', 'a@b c@d', 'Example, Inc <a@b.example>', 'a@b.example, c@d.example', '<a@b'],
  SMTP_URL: ['mail.example.org', 'http://mail.example.org', 'smtp://'],
  ACCENT_COLOR: ['red', '#12', '#ggg'],
  LOG_LEVEL: ['loud'],
};

for (const [name, values] of Object.entries(WRONG))
  test(`a wrong ${name} stops the start with an error that names it and says what would be right`, () => {
    for (const value of values) {
      const sentence = refusal({ [name]: value });
      assert.match(sentence, new RegExp(`^${name} must [^\\n]+\\.$`), value);
      assert.ok(
        value.includes('@') ||
          (SETTINGS[name as SettingName] as Setting).secret ||
          sentence.includes(JSON.stringify(value)),
        sentence,
      );
      assert.doesNotMatch(sentence, /expected|Invalid|Too (big|small)/);
    }
  });

test('the error about a wrong setting does not print secrets', () => {
  for (const [name, value] of [
    ['SMTP_URL', 'mail://me:hidden@example.org'],
    ['SECRET_KEY', 'hidden'.repeat(500)],
    ['DATABASE_URL', 'mysql://me:hidden@example.org/x'],
  ] as const)
    assert.doesNotMatch(refusal({ [name]: value }), /hidden/);
});

test('settings are read as what they mean', () => {
  for (const zone of ['Europe/Berlin', 'Asia/Tokyo', 'UTC', '+09:00', 'Etc/GMT-9'])
    assert.equal(read('TIME_ZONE', zone), zone);
  const databases = ['data/x.db', '/abs/x.db', 'x', 'file:x.db', 'sqlite:///abs/x.db', 'C:\\data\\x.db'];
  for (const url of [...databases, 'postgres://u:p@h/d', 'postgresql://h/d', 'postgres://u@localhost/d?host=%2Frun'])
    assert.equal(read('DATABASE_URL', url), url);
  assert.deepEqual(read('TRUSTED_PROXIES', ' 10.0.0.0/8, ::1 ,,unix'), ['10.0.0.0/8', '::1', 'unix']);
  assert.equal(read('API_URL', 'https://API.example.org:443/'), 'https://api.example.org');
  assert.equal(read('ACCESS_TOKEN_LIFETIME', '90m'), 5400);
  assert.equal(read('REFRESH_GRACE', '10'), 10);
  assert.equal(read('USER_LIMIT', '0900'), 900);
  assert.equal(read('SESSION_LIFETIME', '30d'), 2_592_000);
  const id = '0123456789abcdef01234567';
  assert.deepEqual(read('INTROSPECTORS', `${id}, ${id},`), [id, id]);
  const senders = ['no-reply@example.org', 'Example <a@example.org>', '"Example, Inc" <a@b.example>', 'a@localhost'];
  const quoted = ['The "Gullwing" Network <a@b.example>', String.raw`"The \"Gullwing\", Inc" <a@b.example>`];
  for (const sender of [...senders, ...quoted, '夜明け <a@[10.0.0.1]>', '<a@b.example>'])
    assert.equal(read('MAIL_FROM', sender), sender);
  assert.equal(read('MAIL_FROM', ' Example <a@example.org> '), 'Example <a@example.org>');
});

test('a door listens where it is told, else where its address says', () => {
  assert.deepEqual(listen({ API_LISTEN: '0.0.0.0:80' }), { host: '0.0.0.0', port: 80 });
  assert.deepEqual(listen({ API_LISTEN: '[::]:8080' }), { host: '::', port: 8080 });
  assert.deepEqual(listen({ API_LISTEN: '8080' }), { host: '127.0.0.1', port: 8080 });
  assert.deepEqual(listen({ API_LISTEN: '/run/api.sock' }), { path: '/run/api.sock' });
  assert.deepEqual(listen({ API_URL: 'http://localhost:9000' }), { host: '127.0.0.1', port: 9000 });
  assert.deepEqual(listen({ API_URL: 'http://[::1]:9000' }), { host: '::1', port: 9000 });
  assert.deepEqual(listen({ API_URL: 'http://127.0.0.1' }), { host: '127.0.0.1', port: 80 });
  assert.deepEqual(listen({ API_URL: 'https://api.example.org' }), { host: '127.0.0.1', port: 7400 });
});

test('the four addresses follow from DOMAIN, and one that is set wins', () => {
  const { API_URL, AUTH_URL, SITE_URL, INGEST_URL, listen } = readConfig({ DOMAIN: 'Example.org', API_URL: '' });
  const names = ['api', 'auth', 'www', 'ingest'].map((name) => `https://${name}.example.org`);
  assert.deepEqual([API_URL, AUTH_URL, SITE_URL, INGEST_URL], names);
  assert.deepEqual(listen.SITE, { host: '127.0.0.1', port: 7402 }, 'behind the proxy');
  const own = readConfig({ DOMAIN: 'example.org', SITE_URL: 'https://example.org' });
  assert.deepEqual([own.SITE_URL, own.AUTH_URL], ['https://example.org', 'https://auth.example.org']);
  assert.equal(readConfig({ DOMAIN: '例え.jp' }).API_URL, 'https://api.xn--r8jz45g.jp');
});

test('the site must be on another host than the data API; on loopback another port is enough', () => {
  const sameHost = /^SITE_URL must be on another host than API_URL/;
  assert.match(refusal({ API_URL: 'https://example.org', SITE_URL: 'https://example.org' }), sameHost);
  assert.match(refusal({ API_URL: 'https://example.org', SITE_URL: 'https://EXAMPLE.org:8443' }), sameHost);
  assert.match(refusal({ API_URL: 'http://127.0.0.1:7402' }), sameHost);
  readConfig({ API_URL: 'https://api.example.org', SITE_URL: 'https://example.org' });
  readConfig({ API_URL: 'http://localhost:1', SITE_URL: 'http://localhost:2' });
});

const ADDRESSES = ['AUTH_URL', 'SITE_URL', 'API_URL', 'INGEST_URL'] as const;

test('every address must be https, except on loopback', () => {
  for (const name of ADDRESSES) {
    assert.equal(
      refusal({ [name]: 'http://scorehall.example.org' }),
      `${name} must be https except on loopback, like https://scorehall.example.org (it is http://scorehall.example.org).`,
    );
    for (const host of ['https://scorehall.example.org', 'http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1'])
      readConfig({ [name]: host });
  }
});

test('plain http is accepted in a private network if the operator allows it, and nowhere else', () => {
  const hosts = [
    '10.1.2.3',
    '192.168.0.9:8080',
    '172.16.0.1',
    '172.31.255.255',
    '169.254.1.1',
    '127.0.0.2',
    '[fc00::1]',
    '[fdff::1]',
    '[febf::1]',
    '[::ffff:a00:1]',
    'nas',
    'scorehall.local',
    'scorehall.home.arpa',
  ];
  const elsewhere = [
    'example.org',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.1',
    '192.169.0.1',
    '[2001:db8::1]',
    '[fe00::1]',
    '[fec0::1]',
    '[::ffff:808:808]',
    'local.example.org',
    '127.0.0.1.nip.io',
  ];
  for (const name of ADDRESSES) {
    for (const host of hosts) {
      const setting = { [name]: `http://${host}` };
      assert.match(
        refusal(setting),
        new RegExp(`^${name} must be https except on loopback, unless PLAIN_HTTP=private-network allows`),
      );
      assert.equal(readConfig({ ...setting, PLAIN_HTTP: 'private-network' })[name], `http://${host}`);
    }
    for (const host of elsewhere) {
      const sentence = refusal({ [name]: `http://${host}`, PLAIN_HTTP: 'private-network' });
      assert.match(sentence, new RegExp(`^${name} must be https except on loopback, like https://`));
    }
  }
});

test('the environment overrides .env, and both override the settings.env beside the database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  writeFileSync(join(folder, '.env'), `CONTACT=env\nNETWORK_NAME=env\nDATABASE_URL=${folder}/x.db\n`);
  writeFileSync(join(folder, 'settings.env'), 'CONTACT=beside\nNETWORK_NAME=beside\nTIME_ZONE=Asia/Tokyo\n');
  const found = environment({ NETWORK_NAME: 'actual' }, folder);
  assert.deepEqual([found['NETWORK_NAME'], found['CONTACT'], found['TIME_ZONE']], ['actual', 'env', 'Asia/Tokyo']);
  for (const DATABASE_URL of ['postgres://h/d', '/elsewhere/x.db'])
    assert.equal(environment({ DATABASE_URL }, folder)['TIME_ZONE'], undefined);
  const onPostgres = environment({ DATABASE_URL: 'postgres://h/d', DATA_FOLDER: folder }, tmpdir());
  assert.equal(onPostgres['TIME_ZONE'], 'Asia/Tokyo', 'a demo on PostgreSQL');
});

test('a secret can come from a file, named by NAME_FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const key = file('key', `${'k'.repeat(40)}\r\n`);
  const url = file('url', 'postgres://u:p@h/d\n');
  const found = environment({ SECRET_KEY_FILE: key, DATABASE_URL_FILE: url, SECRET_KEY: '' }, folder);
  assert.deepEqual([found['SECRET_KEY'], found['DATABASE_URL']], ['k'.repeat(40), 'postgres://u:p@h/d']);
  writeFileSync(join(folder, '.env'), `SMTP_URL_FILE=${file('smtp', 'smtp://of-env')}\n`);
  assert.equal(environment({}, folder)['SMTP_URL'], 'smtp://of-env');
  assert.equal(environment({ SMTP_URL: 'smtp://actual' }, folder)['SMTP_URL'], 'smtp://actual');

  const refused: [Record<string, string>, RegExp][] = [
    [{ SECRET_KEY_FILE: key, SECRET_KEY: 'x' }, /^Set SECRET_KEY or SECRET_KEY_FILE, not both\.$/],
    [{ SMTP_URL_FILE: join(folder, 'none') }, /^SMTP_URL_FILE must name a file .*there is no such file\)\.$/],
    [{ SMTP_URL_FILE: folder }, /^SMTP_URL_FILE must name a file .*it is a folder\)\.$/],
    [{ SMTP_URL_FILE: file('empty', '\n') }, /^SMTP_URL_FILE must name a file .*is empty\)\.$/],
    [{ SMTP_URL_FILE: file('lines', 'hidden\nhidden\n') }, /^SMTP_URL_FILE must name a file with one line/],
  ];
  for (const [settings, sentence] of refused)
    assert.throws(
      () => environment(settings, folder),
      (error: Error) =>
        error instanceof UsageError && sentence.test(error.message) && !error.message.includes('hidden'),
    );
});

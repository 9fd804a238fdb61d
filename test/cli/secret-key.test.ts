import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { newTotpSecret, totpCode, totpStep } from '#platform/crypto/totp.ts';
import { sql } from '#db/sql.ts';
import { currentKeys } from '#store/accounts/signing-keys.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { setTotp, useTotpCode } from '#store/accounts/totp.ts';
import { secretKeyMatches } from '#store/installation/installation.ts';
import { serverByName } from '#store/game/servers.ts';
import { hasManagementSecret, setManaged } from '#store/game/watches/managed-servers.ts';
import { listedBans, saveBans } from '#store/game/watches/managed-state.ts';
import { addWebhook, rotateSecret, signingSecrets, webhooksOf } from '#store/applications/webhooks/webhooks.ts';
import { account, application, login, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, testContext, testServices } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { scorehall, scorehallWith } from './scorehall.ts';

const [OLD, NEW, THIRD] = ['old', 'new', 'third'].map((word) => `${word} secret that is long enough for tests`) as [
  string,
  string,
  string,
];

onEachDatabase('a changed secret key keeps signing keys and erased players, twice', async (t, url) => {
  const first = await testContext(t, url, { SECRET_KEY: OLD });
  const { db, clock, config } = first;
  await secretKeyMatches(db, openSecretKey(config));
  const [signing] = await currentKeys(db, openSecretKey(config), clock.now());
  await sendEvents(first, login('Alpha', person(1)));
  const { key: server } = (await serverByName(db, 'Alpha'))!;
  await setManaged(db, openSecretKey(config), server, { url: 'wss://a.example:1', ca: '', secret: 'of the game' });
  const ban = { uuidHash: db.keyedHash(person(2).uuid), reference: 'ban', content: '', expires: null };
  await saveBans(db, server, [ban]);
  const { id } = await account(first, 'Ann', person(1).uuid);
  await deleteAccount(db, clock.now(), id);
  const { id: owner } = await account(first, 'Bob', person(3).uuid);
  const { key: app } = await application(first);
  const place = { kinds: ['match'], after_reset: 'head', cursor: { feed: '', number: 0 } } as const;
  const hook = { key: app, url: 'https://hooks.example/', form: 'standard', ...place } as const;
  const { secret: former } = (await addWebhook(db, clock.now(), openSecretKey(config), hook))!;
  const webhook = (await webhooksOf(db, app))[0]!.key;
  const replaced = await rotateSecret(db, clock.now(), openSecretKey(config), webhook);
  const totp = newTotpSecret();
  await db.transaction((tx) => setTotp(tx, clock.now(), openSecretKey(config), owner, { secret: totp, step: 0 }));
  const started = await scorehallWith(
    OLD,
    { DATABASE_URL: url, SECRET_KEY: NEW },
    'secret-key',
    'change',
    '--from',
    '-',
  );
  assert.match(started.err, /Jobs are unfinished/);
  await finishJobs(db);

  for (const [from, to] of [
    [OLD, NEW],
    [NEW, THIRD],
  ] as const) {
    // prettier-ignore
    const change = (old: string) =>
      scorehallWith(old, { DATABASE_URL: url, SECRET_KEY: to }, 'secret-key', 'change', '--from', '-', '--json');
    assert.match((await change('x'.repeat(40))).err, /not that of the database/);
    const { status, out, err } = await change(from);
    assert.deepEqual(
      [status, JSON.parse(out || '{}')],
      [0, { signing_keys: 1, management_secrets: 1, webhook_secrets: 1, totp_secrets: 1, erased_players: 1 }],
      err,
    );
    assert.match((await change(from)).err, /this secret key already/);
    const context = await testContext(t, url, { SECRET_KEY: to });
    const key = openSecretKey(context.config);
    assert.equal(await secretKeyMatches(context.db, key), true);
    assert.deepEqual((await currentKeys(context.db, key, clock.now()))[0], signing);
    assert.equal(await hasManagementSecret(context.db, key, server, 'of the game'), true);
    assert.deepEqual(await signingSecrets(context.db, clock.now(), key, webhook), [replaced, former]);
    await context.db.run(sql`update totp_secrets set last_step = 0`);
    const code = totpCode(totp, totpStep(clock.now()));
    assert.equal(await useTotpCode(context.db, clock.now(), key, owner, code), true);
    const hash = context.db.keyedHash(person(2).uuid);
    assert.equal((await listedBans(context.db, server, [hash])).get(hash)?.reference, 'ban');
    await sendEvents(context, login('Alpha', person(1)));
    assert.deepEqual(await context.db.all(sql`select key from players where uuid = ${person(1).uuid}`), []);
    assert.equal(await secretKeyMatches(context.db, openSecretKey(config)), false);
  }
});

onEachDatabase('a used database gets no new secret key unless it is reset', async (t, url) => {
  const folder = join(dirname(new URL(url, 'file:///').pathname), `data-${process.pid}`);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const context = await testContext(t, url, { SECRET_KEY: OLD });
  await secretKeyMatches(context.db, openSecretKey(context.config));
  await currentKeys(context.db, openSecretKey(context.config), 0);
  const without = { DATABASE_URL: url, DATA_FOLDER: folder };
  const refused = await scorehall(without, 'server', 'list');
  assert.equal(refused.status, 2);
  assert.match(refused.err, /^scorehall: The secret key of this database .* is missing.*secret-key reset/);
  const asked = await scorehall(without, 'secret-key', 'reset', '--json');
  assert.deepEqual(JSON.parse(asked.out), {
    lost: false,
    signing_keys: 1,
    erased_players: 0,
    management_secrets: 0,
    webhook_secrets: 0,
    totp_secrets: 0,
  });
  assert.equal((await scorehall(without, 'server', 'list')).status, 2, 'asking changes nothing');
  assert.equal((await scorehall(without, 'secret-key', 'reset', '--yes')).status, 0);
  assert.equal((await scorehall(without, 'server', 'list')).status, 0);
});

onEachDatabase('a wrong secret key stops service and commands in one sentence with the remedies', async (t, url) => {
  const context = await testContext(t, url, { SECRET_KEY: OLD });
  const late = await testContext(t, url, { SECRET_KEY: THIRD });
  await testServices(context, ['API']);
  await assert.rejects(testServices(late, ['API']), /SECRET_KEY is not that of this database/, 'both started at once');
  const wrong = { DATABASE_URL: url, SECRET_KEY: NEW };
  for (const command of [['serve'], ['server', 'list']]) {
    const { status, out, err } = await scorehall(wrong, ...command);
    assert.deepEqual([status, out], [2, ''], err);
    assert.match(
      err,
      /^scorehall: The secret key in SECRET_KEY is not that of this database \(fingerprint \S+\): .*\n$/,
    );
    assert.match(err, /`scorehall secret-key change --from OLD`.*`scorehall secret-key reset`/);
  }
  const folder = join(dirname(new URL(url, 'file:///').pathname), `wrong-${process.pid}`);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'secret.key'), `${NEW}\n`);
  const inFile = await scorehall({ DATABASE_URL: url, DATA_FOLDER: folder }, 'server', 'list');
  assert.ok(inFile.err.includes(`The secret key in the file ${join(folder, 'secret.key')} is not`), inFile.err);
  const changed = await scorehallWith(OLD, wrong, 'secret-key', 'change', '--from', '-');
  assert.equal(changed.status, 0, changed.err);
  assert.equal((await scorehall(wrong, 'server', 'list')).status, 0);
  const { status } = await scorehall({ DATABASE_URL: url, SECRET_KEY: THIRD }, 'secret-key', 'reset', '--yes');
  assert.equal(status, 0, 'reset works under a wrong key, too');
});

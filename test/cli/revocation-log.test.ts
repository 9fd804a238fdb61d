import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SecretKey } from '#platform/crypto/secret-key.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { sql } from '#db/sql.ts';
import { setDisabled, setRole, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { newFactorCode } from '#store/accounts/factor-codes.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { NETWORK } from '#store/game/hidden-lists.ts';
import { privacyOf } from '#store/game/private-players.ts';
import {
  consumeMailToken,
  endMailTokens,
  issueMailToken,
  type MailToken,
  peekMailToken,
} from '#store/accounts/mail-tokens.ts';
import { acceptInvitation, addOwner, endInvitation, invite, removeOwner } from '#store/applications/owners.ts';
import { startReset } from '#store/accounts/factor-resets.ts';
import { addWebhook, removeWebhook, turnOff, turnOn, webhooksOf } from '#store/applications/webhooks/webhooks.ts';
import { deleteApplication, removeSecret, secretsOf, setAccess } from '#store/applications/applications.ts';
import { removeManaged, setManaged } from '#store/game/watches/managed-servers.ts';
import { namesOf, playerByUuid } from '#store/game/players.ts';
import { serverByName } from '#store/game/servers.ts';
import { claimNotices, endNotice } from '#store/mail/punishment-notices.ts';
import { secretKeyMatches } from '#store/installation/installation.ts';
import { writeRevocations } from '#store/revocations/outbox.ts';
import { linkGameAccount } from '#events/handlers/returning-players.ts';
import {
  account,
  after,
  application,
  configured,
  event,
  giveApp,
  login,
  match,
  person,
  punishment,
  sendEvents,
  serviceToken,
  team,
  userToken,
} from '#test/support/builders.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  onEachDatabase,
  type TestAppContext,
  testContext,
  testServices,
} from '#test/support/context.ts';
import { Mirror } from '#test/support/mirror.ts';
import { ask } from '#test/support/request.ts';
import { keyOf } from '#test/ingest/service.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { tablesWith } from '#test/events/removed-name-network.ts';
import { scorehall } from './scorehall.ts';

const SECRET_KEY = 'a secret that is long enough for tests';
const YEARS_MS = 100 * 365 * 86_400_000;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'scorehall-log-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function ok(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Record<string, unknown>> {
  const { status, out, err } = await scorehall(environment, ...args, '--json');
  assert.equal(status, 0, err);
  return JSON.parse(out) as Record<string, unknown>;
}

async function manage({ db }: TestAppContext, name: string, url: string): Promise<void> {
  const { key } = (await serverByName(db, name))!;
  await setManaged(db, new SecretKey(SECRET_KEY), key, { url, ca: '', secret: 's' });
}

/** A network with people and credentials, of which some are deleted and revoked after the backup and some are not. */
async function fill(context: TestAppContext) {
  await sendEvents(
    context,
    configured('Alpha'),
    configured('Beta'),
    configured('Gamma'),
    login('Alpha', person(1, 'AnnInGame')),
    login('Alpha', person(2)),
    login('Alpha', person(3, 'Formerly'), { time: after(-1_000) }),
    login('Alpha', person(3)),
    match({ teams: [team('Red', 1, 2), team('Blue', 3)] }),
    punishment('one', person(2)),
  );
  const names = ['Ann', 'Disabled', 'Demoted', 'Operator', 'Leaver'] as const;
  const [ann, disabled, demoted, operator, leaver] = await Promise.all([
    account(context, names[0], person(1).uuid),
    ...names.slice(1).map((name) => account(context, name)),
  ] as const);
  for (const one of [demoted!, operator!]) await setRole(context.db, one.id, 'operator');
  await newFactorCode(context.db, context.clock.now(), operator!.id);
  await giveApp(context, leaver!.id);
  await startReset(context.db, context.clock.now(), leaver!.id);
  const [app, withdrawn, deleted] = [
    await application(context),
    await application(context),
    await application(context),
  ];
  for (const one of [operator!, leaver!]) await addOwner(context.db, 0, app.key, one.id);
  for (const { id } of [disabled!, leaver!]) {
    await context.db.run(sql`
      insert into consents (account_id, client_id, scopes, granted, used) values (${id}, ${app.client_id}, 'profile', 0, 0)`);
  }
  const tokens = {
    revoked: await serviceToken(context, app.client_id, YEARS_MS),
    valid: await serviceToken(context, app.client_id, YEARS_MS),
    ofAnn: await userToken(context, app.client_id, ann.id, { lifetimeMs: YEARS_MS }),
  };
  for (const name of ['Alpha', 'Beta', 'Gamma']) await manage(context, name, `wss://${name}.example.org:25585`);
  for (const url of ['https://a.example/', 'https://b.example/', 'https://c.example/', 'https://d.example/'])
    await addWebhook(context.db, 0, new SecretKey(SECRET_KEY), {
      ...{
        key: app.key,
        url,
        form: 'standard',
        kinds: ['match'],
        after_reset: 'head',
        cursor: { feed: '', number: 0 },
      },
    });
  const keys = { revoked: await keyOf(context, 'Alpha'), valid: await keyOf(context, 'Beta') };
  const mailed = (kind: MailToken['kind'], data = {}, expires = context.clock.now() + YEARS_MS) =>
    issueMailToken(context.db, expires, { kind, account_id: operator!.id, data }, 'operator@example.org');
  const links = {
    used: await mailed('verify'),
    voided: await mailed('reset'),
    undo: await mailed('undo-email', { email: 'before@example.org' }),
    changed: await mailed('email', { email: 'new@example.org' }),
  };
  for (const [{ key }, { id }] of [
    [app, demoted!],
    [app, disabled!],
    [withdrawn, demoted!],
  ] as const)
    await invite(context.db, Date.now(), { applicationKey: key, accountId: id, invitedBy: operator!.id });
  await setHidden(context.db, 0, NETWORK, [person(2).uuid]);
  return { links, ann, disabled, demoted, operator, leaver, app, withdrawn, deleted, tokens, keys };
}

type Filled = Awaited<ReturnType<typeof fill>>;

async function deleteAndRevoke(context: TestAppContext, filled: Filled, environment: NodeJS.ProcessEnv): Promise<void> {
  const { db } = context;
  await ok(environment, 'account', 'delete', '--account', 'Ann', '--yes');
  await ok(environment, 'player', 'erase', '--player', person(2).uuid, '--yes');
  await db.run(sql`delete from tokens where hash = ${secretHash(filled.tokens.revoked)}`);
  await ok(environment, 'server', 'key', 'revoke', '--name', 'Alpha', '--yes');
  await setDisabled(db, filled.disabled!.id, 5);
  await setRole(db, filled.demoted!.id, 'user');
  await setRole(db, filled.leaver!.id, 'moderator');
  await setRole(db, filled.leaver!.id, 'user');
  await newFactorCode(db, context.clock.now(), filled.operator!.id);
  await setAccess(db, filled.withdrawn.client_id, 'revoked');
  await setAccess(db, filled.app.client_id, 'revoked');
  await setAccess(db, filled.app.client_id, 'approved');
  await deleteApplication(db, filled.deleted.client_id);
  await removeOwner(db, filled.app.key, filled.leaver!.id);
  const [secret] = await secretsOf(db, filled.app.key);
  await removeSecret(db, filled.app.key, secret!.id);
  await removeManaged(db, (await serverByName(db, 'Alpha'))!.key);
  await manage(context, 'Gamma', 'wss://moved.example.org:25585');
  const [removed, off, onAgain] = await webhooksOf(db, filled.app.key);
  await removeWebhook(db, removed!.key);
  for (const { key } of [off!, onAgain!]) await turnOff(db, 0, key, 'operator');
  await turnOn(db, 0, onAgain!.key);
  await consumeMailToken(db, 0, filled.links.used);
  await endMailTokens(db, filled.operator!.id);
  await consumeMailToken(db, 0, filled.links.undo);
  await acceptInvitation(db, Date.now(), filled.app.key, filled.demoted!.id);
  await endInvitation(db, filled.app.key, filled.disabled!.id);
  await endInvitation(db, filled.withdrawn.key, filled.demoted!.id);
  const again = { applicationKey: filled.withdrawn.key, accountId: filled.demoted!.id, invitedBy: filled.operator!.id };
  await invite(db, Date.now(), again);
  await setHidden(db, 0, (await serverByName(db, 'Beta'))!.key, ['Player3']);
  await setHidden(db, 0, NETWORK, ['Player3', 'Unknown']);
  const choice = { player: person(3).uuid, profile: true, online: false, names: true };
  await sendEvents(context, event('player.privacy', { ...choice, online: true }), event('player.privacy', choice));
  await ok(environment, 'player', 'remove-name', '--player', person(3).uuid, '--name', 'Formerly', '--yes');
  // A person who was erased and is unknown to the backup, but whose events a game server may still hold.
  await sendEvents(context, login('Alpha', person(9, 'Later')));
  await ok(environment, 'player', 'erase', '--player', person(9).uuid, '--yes');
}

const REPLAYED = {
  accounts_erased: 1,
  players_erased: 1,
  tokens_revoked: 1,
  server_keys_revoked: 1,
  applications_deleted: 1,
  secrets_withdrawn: 1,
  access_withdrawn: 1,
  owners_removed: 1,
  consents_ended: 0,
  management_removed: 2,
  webhooks_removed: 2,
  accounts_disabled: 1,
  roles_lowered: 1,
  factor_codes_used: 1,
  factor_resets_ended: 1,
  mail_links_ended: 3,
  invitations_ended: 2,
  names_removed: 1,
  players_hidden: 2,
  privacy_changed: 1,
};

const pick = (from: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.keys(REPLAYED).map((name) => [name, from[name]]));

onEachDatabase('a restored backup brings back nobody and nothing that the revocation log names', async (t, url) => {
  const folder = folderOf(t);
  const context = await testContext(t, url);
  const filled = await fill(context);
  await secretKeyMatches(context.db, new SecretKey(SECRET_KEY));
  const [file, log] = [join(folder, 'backup'), join(folder, 'elsewhere', 'revocations.log')];
  const environment = { DATABASE_URL: url, SECRET_KEY, REVOCATION_LOG: log };
  await ok(environment, 'backup', file);
  await deleteAndRevoke(context, filled, environment);
  await writeRevocations(context.db, Date.now(), log);
  assert.equal((await context.db.all(sql`select key from revocations`)).length, 0);
  const text = readFileSync(log, 'utf8');
  assert.equal(statSync(log).mode & 0o777, 0o600);
  for (const name of [
    'AnnInGame',
    'Player2',
    'Formerly',
    'ann@',
    person(1).uuid,
    person(2).uuid,
    ...Object.values(filled.tokens),
  ])
    assert.ok(!text.includes(name), `the log does not hold ${name}`);
  const pseudonyms = await context.db.tuples(sql`select uuid_hash, uuid, name from pseudonyms order by uuid_hash`);

  const target = await createEmptyDatabase(url.startsWith('postgres') ? 'sqlite' : 'postgres');
  t.after(() => target.drop());
  const there = { DATABASE_URL: target.url, SECRET_KEY, REVOCATION_LOG: join(folder, 'target.log') };
  const restored = await ok(there, 'restore', file, '--since-log', log);
  assert.deepEqual(pick(restored), REPLAYED);
  const again = await ok(there, 'restore', '--since-log', log, '--since-log', log);
  assert.deepEqual(pick(again), Object.fromEntries(Object.keys(REPLAYED).map((name) => [name, 0])), 'idempotent');
  const arrived = await testContext(t, target.url, { SECRET_KEY });
  const { db, clock } = arrived;
  // The commands revoked by the clock of the machine.
  clock.advance(Date.now() - clock.now());
  assert.deepEqual(await db.tuples(sql`select uuid_hash, uuid, name from pseudonyms order by uuid_hash`), pseudonyms);
  for (const { uuid } of [person(1), person(2)]) {
    const found = await db.all(sql`select key from ledger where body like ${`%${uuid}%`} and type <> 'account.link'`);
    assert.deepEqual(found, [], 'no stored event names an erased person');
    assert.equal(await db.get(sql`select key from players where uuid = ${uuid}`), undefined);
  }
  const named = await db.all(sql`select key from ledger where body like '%Formerly%'`);
  assert.deepEqual([named, (await namesOf(db, (await playerByUuid(db, person(3).uuid))!.key)).length], [[], 1]);
  await new Mirror(arrived).check('the feed after the replay');
  const roles = await db.tuples(sql`select name, role, disabled from accounts order by name`);
  assert.deepEqual(roles, [
    ['Demoted', 'user', null],
    ['Disabled', 'user', 5],
    ['Leaver', 'user', null],
    ['Operator', 'operator', null],
  ]);
  const found = await Promise.all(Object.values(filled.links).map((secret) => peekMailToken(db, 0, secret)));
  assert.deepEqual(
    found.map((token) => token?.kind),
    [undefined, undefined, 'undo-email', undefined],
  );
  assert.deepEqual(await db.tuples(sql`select application_key, account_id from owner_invitations`), [
    [filled.withdrawn.key, filled.demoted!.id],
  ]);
  const beta = (await serverByName(db, 'Beta'))!.key;
  assert.deepEqual(await privacyOf(db, person(3).uuid), { profile: true, online: false, names: true });
  assert.deepEqual(await db.tuples(sql`select scope_key, entry, uuid from hidden_players order by scope_key`), [
    [NETWORK, person(3).uuid, person(3).uuid],
    [beta, person(3).uuid, person(3).uuid],
  ]);
  const owners = await db.tuples(
    sql`select account_id from application_owners where application_key = ${filled.app.key}`,
  );
  assert.deepEqual(owners, [[filled.operator!.id]]);
  const addresses = await testServices(arrived, ['API', 'INGEST']);
  const statusOf = async (token: string): Promise<number> =>
    (await ask(addresses.API!, '/v1/servers', { token })).status;
  assert.deepEqual(
    await Promise.all(Object.values(filled.tokens).map(statusOf)),
    [401, 200, 401],
    'only the token that was never revoked works',
  );
  assert.equal((await ask(addresses.API!, '/v1/players/AnnInGame', { token: filled.tokens.valid })).status, 404);
  assert.equal((await ask(addresses.API!, '/v1/players/Player3', { token: filled.tokens.valid })).status, 200);
  const { server: _, ...sent } = login('Alpha', person(9, 'Later'));
  const report = (token: string): ReturnType<typeof ask> =>
    ask(addresses.INGEST!, '/events', {
      method: 'POST',
      token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    });
  assert.equal((await report(filled.keys.revoked)).status, 401);
  assert.equal((await report(filled.keys.valid)).status, 200);
  assert.equal(await db.get(sql`select key from players where uuid = ${person(9).uuid}`), undefined);
});

test('without the log everything is back, and the log can follow', async (t) => {
  const [source, target] = [await createTestDatabase('sqlite'), await createEmptyDatabase('sqlite')];
  t.after(() => Promise.all([source.drop(), target.drop()]));
  const folder = folderOf(t);
  const context = await testContext(t, source.url);
  const filled = await fill(context);
  await secretKeyMatches(context.db, new SecretKey(SECRET_KEY));
  const [file, log] = [join(folder, 'backup'), join(folder, 'revocations.log')];
  const environment = { DATABASE_URL: source.url, SECRET_KEY, REVOCATION_LOG: log };
  const there = { DATABASE_URL: target.url, SECRET_KEY, REVOCATION_LOG: 'off' };
  await ok(environment, 'backup', file);
  await deleteAndRevoke(context, filled, environment);
  await writeRevocations(context.db, Date.now(), log);
  const without = await scorehall(there, 'restore', file);
  assert.match(without.err, /work again.*people who were erased.*--since-log LOG/s);
  assert.match(without.out, /^accounts +5$/m);
  assert.deepEqual(pick(await ok(there, 'restore', '--since-log', log)), REPLAYED);
  const other = await scorehall(environment, 'restore', '--since-log', log);
  assert.match(other.err, /not restored from a backup/);
});

type Person = ReturnType<typeof person>;

/** A network whose backup and revocation log are restored into a database of the other kind. */
async function loggedNetwork(t: TestContext, url: string) {
  const folder = folderOf(t);
  const context = await testContext(t, url);
  await secretKeyMatches(context.db, new SecretKey(SECRET_KEY));
  const [file, log] = [join(folder, 'backup'), join(folder, 'revocations.log')];
  const restored = async () => {
    await writeRevocations(context.db, Date.now(), log);
    const target = await createEmptyDatabase(url.startsWith('postgres') ? 'sqlite' : 'postgres');
    t.after(() => target.drop());
    const there = { DATABASE_URL: target.url, SECRET_KEY, REVOCATION_LOG: 'off' };
    const { players_erased } = await ok(there, 'restore', file, '--since-log', log);
    const { db } = await testContext(t, target.url, { SECRET_KEY });
    return { db, there, players_erased };
  };
  return { context, file, environment: { DATABASE_URL: url, SECRET_KEY, REVOCATION_LOG: log }, restored };
}

onEachDatabase('a restored backup has what became of each person before and after it', async (t, url) => {
  const { context, file, environment, restored } = await loggedNetwork(t, url);
  const { db, clock } = context;
  // The commands have the clock of the machine.
  clock.advance(Date.now() - clock.now());
  const time = new Date(clock.now()).toISOString();
  const [returned, relinked, punished, renewed] = [1, 2, 3, 4].map((number) => person(number)) as [
    Person,
    Person,
    Person,
    Person,
  ];
  await sendEvents(context, configured('Alpha'), configured('Beta'), login('Alpha', returned), login('Beta', renewed));
  const { id } = await account(context, 'Gone', returned.uuid);
  await ok(environment, 'account', 'delete', '--account', id, '--yes');
  const again = await account(context, 'Again');
  assert.equal(await linkGameAccount(db, clock, again.id, returned), undefined);
  const first = await account(context, 'First', relinked.uuid);
  await account(context, 'Punished', punished.uuid);
  await sendEvents(context, login('Alpha', returned), punishment('before', punished, {}, { time }));
  await ok(environment, 'backup', file);

  await db.transaction((tx) => unlinkPlayer(tx, first.id));
  await sendEvents(context, login('Alpha', relinked));
  const second = await account(context, 'Second', relinked.uuid);
  await ok(environment, 'account', 'delete', '--account', second.id, '--yes');
  const afterwards = punishment('after', punished, {}, { time });
  await sendEvents(context, afterwards);
  const sent = await claimNotices(db, clock.now());
  assert.equal(sent.length, 2);
  for (const notice of sent) await endNotice(db, notice);
  const keyNow = async (): Promise<unknown> =>
    (await db.get<{ key: number }>(sql`select key from players where uuid = ${renewed.uuid}`))?.key;
  const before = await keyNow();
  await ok(environment, 'server', 'withdraw', '--name', 'Beta', '--since', new Date(0).toISOString(), '--yes');
  assert.equal(await keyNow(), undefined);
  await sendEvents(context, login('Beta', renewed));
  assert.notEqual(await keyNow(), before);
  await ok(environment, 'player', 'erase', '--player', renewed.uuid, '--yes');

  const { db: target, there, players_erased } = await restored();
  assert.equal(players_erased, 2, 'one by the account, and the one that got another key');
  const playerOf = ({ uuid }: Person) => target.get(sql`select key from players where uuid = ${uuid}`);
  const pseudonyms = async ({ uuid }: Person): Promise<number> =>
    (await target.tuples(sql`select 1 from pseudonyms where uuid_hash = ${target.keyedHash(uuid)}`)).length;
  assert.ok(await playerOf(returned), 'a game account that was linked again just before the backup keeps its name');
  assert.equal(await pseudonyms(returned), 0);
  await ok(there, 'account', 'delete', '--account', again.id, '--yes');
  assert.equal(await playerOf(returned), undefined);

  const linked = await target.tuples(sql`select player_uuid from accounts where id = ${first.id}`);
  assert.deepEqual(linked, [[null]], 'an erased one loses its link, also without a player there');
  assert.equal(await pseudonyms(relinked), 1);
  await ok(there, 'account', 'delete', '--account', first.id, '--yes');

  assert.equal(await playerOf(renewed), undefined);
  const bodies = (await target.tuples(sql`select body from ledger where type = 'player.login'`)) as [string][];
  assert.equal(bodies.length, 3);
  assert.ok(!JSON.stringify(bodies).includes(renewed.uuid));

  const states = async () => await target.tuples(sql`select due, count(*) from punishment_notices group by due`);
  assert.deepEqual(await states(), [[null, 2]], 'no mail is sent again');
  await sendEvents({ db: target, clock }, afterwards);
  assert.equal((await target.tuples(sql`select key from punishments`)).length, 2);
  assert.deepEqual(await states(), [[null, 2]], 'a game server sends the event again');
});

const line = (kind: string, subject: string, more: object = {}): string =>
  JSON.stringify({ time: new Date().toISOString(), kind, subject, detail: '', until: null, ...more });

onEachDatabase('a log whose disk is full is one sentence after the command, which is done', async (t, url) => {
  if (!existsSync('/dev/full')) return t.skip('only Linux has a device that is always full');
  const context = await testContext(t, url, { SECRET_KEY });
  const app = await application(context, { name: 'Board' });
  await serviceToken(context, app.client_id);
  const environment = { DATABASE_URL: url, SECRET_KEY, REVOCATION_LOG: '/dev/full', DATA_FOLDER: folderOf(t) };
  const { status, out, err } = await scorehall(environment, 'app', 'delete', '--client-id', app.client_id, '--yes');
  assert.equal(status, 0, err);
  assert.match(out, new RegExp(app.client_id));
  assert.match(
    err,
    /^scorehall: The command is done, but the revocation log \/dev\/full cannot be written \(ENOSPC: [^)\n]*\); the service tries it again\.\n$/,
  );
});

test('of a log, incomplete lines are skipped, and another file is refused before anything is restored', async (t) => {
  const [source, target] = [await createTestDatabase('sqlite'), await createEmptyDatabase('sqlite')];
  t.after(() => Promise.all([source.drop(), target.drop()]));
  const folder = folderOf(t);
  const context = await testContext(t, source.url);
  const { tokens, app } = await fill(context);
  await secretKeyMatches(context.db, new SecretKey(SECRET_KEY));
  const [file, log] = [join(folder, 'backup'), join(folder, 'revocations.log')];
  const environment = { DATABASE_URL: source.url, SECRET_KEY, REVOCATION_LOG: log };
  const there = { ...environment, DATABASE_URL: target.url };
  await writeRevocations(context.db, Date.now(), undefined);
  await ok(environment, 'backup', file);
  const refusal = async (text: string): Promise<string> => {
    writeFileSync(log, text);
    const { status, err } = await scorehall(there, 'restore', file, '--since-log', log);
    assert.equal(status, 2, err);
    return err;
  };
  assert.match(await refusal('not a log\n'), /is no revocation log/);
  assert.match(await refusal(`${line('planet', 'x')}\n`), /line 1.*does not know "planet".*newer version/);
  assert.match((await scorehall(there, 'restore', file, '--since-log', `${log}x`)).err, /cannot be read: ENOENT/);
  const before = new Date(Date.now() - 3_600_000).toISOString();
  const lines = [
    line('token', secretHash(tokens.valid), { time: before }),
    line('token', secretHash(tokens.ofAnn), { until: 1 }),
    line('application', app.client_id).slice(0, 40),
  ];
  writeFileSync(log, lines.join('\n'));
  await context.db.run(sql`delete from tokens where hash = ${secretHash(tokens.revoked)}`);
  await writeRevocations(context.db, Date.now(), log);
  const { status, out, err } = await scorehall(there, 'restore', file, '--since-log', log, '--json');
  assert.equal(status, 0, err);
  assert.match(err, /incomplete and were skipped: .*revocations\.log line 3\./);
  const { replay_lines, tokens_revoked, applications_deleted } = JSON.parse(out) as Record<string, unknown>;
  assert.deepEqual([replay_lines, tokens_revoked, applications_deleted], [1, 1, 0]);
  const copy = join(folder, 'copy');
  copyFileSync(log, copy);
  assert.match((await scorehall(there, 'restore', file, '--since-log', copy)).err, /in use/);
});

const alias = (player: { uuid: string }, number: number) => ({ uuid: person(number).uuid, into: player.uuid });

const hide = (uuid: string) => event('player.privacy', { player: uuid, profile: true, online: false, names: false });

onEachDatabase('erasures, removed names and private profiles of merged and linked accounts hold', async (t, url) => {
  const { context, file, environment, restored } = await loggedNetwork(t, url);
  const { db } = context;
  const [quiet, named, leaver, late, gone] = [2, 3, 4, 5, 7].map((number) => person(number));
  const aliases = [alias(quiet!, 12), alias(named!, 13), alias(leaver!, 14)];
  const older = login('Alpha', person(13, 'Formerly'), { time: after(-9_000) });
  await sendEvents(
    context,
    configured('Alpha'),
    older,
    ...[12, 14].map((number) => login('Alpha', person(number, `Alias${number}`), { time: after(-8_000) })),
    ...[quiet!, named!, leaver!, late!, gone!, person(6)].map((player) => login('Alpha', player)),
    match(
      {
        teams: [team('Formerly', person(13, 'Formerly')), team('Alias14', person(14, 'Alias14'))],
        ...{ started: after(-8_600_000), finished: after(-8_000_000) },
      },
      { time: after(-8_000_000) },
    ),
    ...aliases.map(({ uuid, into }) => event('player.merged', { from: uuid, into })),
  );
  await finishJobs(db);
  const { id } = await account(context, 'Quiet', quiet!.uuid);
  await account(context, 'Leaver', leaver!.uuid);
  await ok(environment, 'backup', file);

  await sendEvents(context, hide(person(12).uuid), hide(late!.uuid), hide(gone!.uuid));
  await sendEvents(context, event('player.merged', { from: late!.uuid, into: person(6).uuid }));
  await finishJobs(db);
  await ok(environment, 'player', 'remove-name', '--player', named!.uuid, '--name', 'Formerly', '--yes');
  await ok(environment, 'account', 'delete', '--account', 'Leaver', '--yes');
  await ok(environment, 'player', 'erase', '--player', gone!.uuid, '--yes');
  await db.transaction((tx) => unlinkPlayer(tx, id));

  const { db: target } = await restored();
  const arrived = { ...context, db: target };
  for (const uuid of [quiet!.uuid, person(12).uuid, late!.uuid, person(6).uuid])
    assert.equal((await privacyOf(target, uuid)).profile, true, uuid);
  const [pseudonym] = await target.tuples(sql`
    select p.uuid from pseudonyms y join players p on p.uuid = y.uuid where y.uuid_hash = ${target.keyedHash(gone!.uuid)}`);
  assert.equal((await privacyOf(target, pseudonym![0] as string)).profile, true, 'the pseudonym stays private');
  await sendEvents(arrived, { ...older, id: 'again' }, login('Alpha', { uuid: named!.uuid, name: 'Formerly' }));
  await finishJobs(target);
  for (const text of ['Formerly', 'Alias14', ...[leaver!, person(14), gone!].map(({ uuid }) => uuid)])
    assert.deepEqual(await tablesWith({ db: target }, text), [], text);
  assert.deepEqual(await target.tuples(sql`select original from pseudonyms where original is not null`), []);
  await new Mirror(arrived).check('after the replay');
});

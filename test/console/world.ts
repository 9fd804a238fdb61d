import { idOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import type { AppContext } from '#context/context.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { requestAccess, decideRequest } from '#store/applications/access-requests.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { type Account, createAccount } from '#store/accounts/accounts.ts';
import { changeApplication, changeLogo } from '#store/applications/application-changes.ts';
import { type Application, createApplication } from '#store/applications/applications.ts';
import { setLogo } from '#store/applications/logos.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { addDelivery, type NewDelivery } from '#store/applications/webhooks/deliveries.ts';
import {
  addWebhook,
  markVerified,
  type NewWebhook,
  turnOff,
  webhookById,
} from '#store/applications/webhooks/webhooks.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { type Change, changesWithFeed, readFeed, RESOURCE_KINDS } from '#store/game/changes.ts';
import { addOwner } from '#store/applications/owners.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { recordPolls, setWatch } from '#store/game/watches/server-watches.ts';
import { addUsage, HOUR_MS, type Usage } from '#store/applications/usage.ts';
import { addRefusedRequests, OTHERS } from '#store/installation/refused-requests.ts';
import { createJob, type Job, jobByKey, type NewJob, saveJob } from '#store/jobs.ts';
import { pngOf } from './png.ts';
import { event, giveApp, login, match, person, presence, punishment, sendEvents } from '#test/support/builders.ts';
import { fillNetwork } from '#test/site/world.ts';
import { PASSWORD_HASH } from '#test/auth/support.ts';

export interface ConsoleWorld {
  /** An operator who also owns an application. */
  owner: Account;
  other: Account;
  application: Application;
  waiting: Application;
  /** Approved, with a new name and another Redirect URI that wait for an operator. */
  changed: Application;
}

const ENDPOINTS = ['/v1/matches', '/v1/players/:id', '/v1/servers', ''];

/** Fills a network with requests that wait for the operator and an application with a week of usage. */
export async function fillConsole(context: AppContext): Promise<ConsoleWorld> {
  const { db, clock } = context;
  const now = clock.now();
  await fillNetwork(context, 20);
  await reportImplausible(context);
  await banPlayer(context);
  await fillJobs(context);
  const owner = await makePerson(context, 'Mariner');
  const other = await makePerson(context, 'Newcomer');
  await setRole(db, owner.id, 'operator');
  await giveApp(context, other.id);
  const application = await makeApp(context, owner, 'Harbour Board', 'service', 'approved');
  await makeApp(context, owner, 'Tide Table', 'installed', 'none');
  const waiting = await makeApp(context, other, 'Scores on my <b>wall</b>', 'web', 'none');
  const changed = await makeApp(context, other, 'Lighthouse', 'service', 'approved');
  const redirect_uris = ['https://lighthouse.example.org/signed-in', 'http://127.0.0.1:8080/callback'];
  await changeApplication(db, now, changed.client_id, { ...changed, name: 'Beacon', redirect_uris }, other.id);
  await setLogo(db, changed.key, 'image/png', pngOf(0x4f));
  await changeLogo(db, now, changed.client_id, { content_type: 'image/png', bytes: pngOf(0xd0) }, other.id);
  const request = { account_id: other.id, site: 'https://wall.example', volume: 300 };
  await requestAccess(db, now, waiting, {
    ...request,
    kind: 'access',
    purpose: 'A board on the wall of our club.\nIt shows who plays.',
  });
  const limitRequest = {
    account_id: owner.id,
    site: '',
    volume: 5000,
    kind: 'limit',
    purpose: 'The season ends soon.',
  } as const;
  const decided = await requestAccess(db, now - 86_400_000, application, limitRequest);
  await decideRequest(db, now - 80_000_000, decided!.id, {
    state: 'refused',
    by: 'Mariner',
    note: 'Keep what you have read: matches never change.',
  });
  await addWeekOfUsage(context, application, now);
  await fillWebhooks(context, application);
  await addRefusedRequests(db, now, [
    { kind: 'address', sender: '203.0.113.9', status: 401, count: 812 },
    { kind: 'address', sender: '203.0.113.9', status: 429, count: 1_240 },
    { kind: 'address', sender: '2001:db8:12:34::/64', status: 404, count: 96 },
    { kind: 'address', sender: OTHERS, status: 404, count: 31 },
    { kind: 'application', sender: application.client_id, status: 429, count: 40 },
    { kind: 'account', sender: other.id, status: 403, count: 3 },
  ]);
  const server = await db.get<{ key: number; name: string }>(
    sql`select key, name from servers order by sort_order limit 1`,
  );
  await createServerKey(db, now, server!.key);
  await createServerKey(db, now, server!.key, true);
  const sender = { kind: 'server', serverKey: server!.key, serverName: server!.name, credential: 0 } as const;
  const rejected = [
    { id: 'untyped' },
    { id: 'wall', type: 'Wall'.repeat(16) },
    { id: 'login-7', type: 'player.login' },
  ];
  await ingestEvents(db, clock, sender, rejected);
  const target = { address: 'play.example.org', protocol: 'minecraft' } as const;
  await setWatch(db, server!.key, target);
  const poll = { serverKey: server!.key, ...target, ended: now };
  await recordPolls(db, [{ ...poll, result: { playerCount: 42, max: 120 } }]);
  await recordPolls(db, [{ ...poll, result: { error: 'timeout' } }]);
  const actor = { via: 'console', account_id: owner.id, name: owner.name, address: '192.0.2.7' } as const;
  const entries = [
    { action: 'application.create', subject: application.client_id, label: application.name },
    { action: 'server.key.create', subject: idOf(server!.key), label: server!.name, detail: { test: true } },
    {
      action: 'console.refuse',
      subject: '',
      label: 'GET /console/operator',
      outcome: 'refused',
      detail: { reason: 'not an operator' },
    },
  ] as const;
  for (const entry of entries) await db.transaction((tx) => recordAudit(tx, now, actor, entry));
  return { owner, other, application, waiting, changed };
}

export async function makePerson({ db, clock }: AppContext, name: string): Promise<Account> {
  const facts = { name, email: `${name.toLowerCase()}@example.org`, email_verified: true };
  const account = await createAccount(db, clock.now(), { ...facts, password: PASSWORD_HASH });
  if (typeof account === 'string') throw new Error(account);
  return account;
}

async function makeApp(
  { db, clock }: AppContext,
  owner: Account,
  name: string,
  type: Application['type'],
  access: Application['access'],
): Promise<Application> {
  const redirect_uris = ['https://board.example.org/signed-in', 'http://127.0.0.1:8080/callback'];
  const { application } = await createApplication(db, clock.now(), { name, type, redirect_uris, access });
  await addOwner(db, clock.now(), application.key, owner.id);
  return application;
}

/** A week of usage with busy evenings, an afternoon of client errors and an hour over the limit. */
async function addWeekOfUsage({ db }: AppContext, { key }: Application, now: number): Promise<void> {
  const counted: Usage[] = [];
  for (let ago = 0; ago < 160; ago++) {
    const hour = now - (now % HOUR_MS) - ago * HOUR_MS;
    ENDPOINTS.forEach((endpoint, index) => {
      const wave = Math.max(0, Math.sin(((ago + 6) / 24) * 2 * Math.PI));
      const noise = 0.8 + ((ago * 79 + index * 53) % 41) / 100;
      const requests = Math.round((noise * (40 + 600 * wave)) / (endpoint === '' ? 120 : 1 + index * 2));
      const client_errors = endpoint === '' ? requests : ago > 40 && ago < 46 ? Math.round(requests / 2) : 0;
      const limited = ago === 30 ? Math.round((requests - client_errors) / 3) : 0;
      counted.push({ application_key: key, hour, endpoint, requests, client_errors, limited, server_errors: 0 });
    });
  }
  await addUsage(db, {
    ...{ usage: counted, lastUses: [{ application_key: key, last: now - 60_000 }] },
    ...{ personalReads: [], playerReads: [] },
  });
}

export interface ConsolePage {
  /** The status of a page that shows an error on purpose. */
  error?: number;
  name: string;
  path: string;
  /** The selector of a button on it that leads to the page of this name. */
  press?: string;
  /** Why axe does not check the page. */
  unchecked?: string;
}

/** Events with values that are not plausible, for the operator's list. */
async function reportImplausible(context: AppContext): Promise<void> {
  const { name } = (await context.db.get<{ name: string }>(sql`select name from servers order by sort_order limit 1`))!;
  const counts = { time_played: 600_000, kill_count: 90_000 };
  await sendEvents(
    context,
    match({ teams: [{ name: 'Red', players: [{ ...person(1), ...counts }] }] }, { server: name }),
    event('player.statistics', { player: person(1), gamemode: 'factions', kill_count: 999_999 }, { server: name }),
  );
}

/** A player with matches, a former name, a private name history and a ban, who is online. */
async function banPlayer(context: AppContext): Promise<void> {
  const { db, clock } = context;
  const now = clock.now();
  const player = (await db.get<{ uuid: string; name: string }>(sql`
    select p.uuid, p.name from players p
    order by (select count(*) from player_matches m where m.player_key = p.key) desc, p.key limit 1`))!;
  const server = (await db.get<{ name: string }>(sql`
    select s.name from servers s join presence p on p.server_key = s.key order by s.sort_order desc limit 1`))!;
  const at = (ago: number) => ({ time: new Date(now - ago).toISOString(), server: server.name });
  const ban = { reason: 'Fly hack, seen by three players', expires: new Date(now + 3 * 86_400_000).toISOString() };
  await sendEvents(
    context,
    login(server.name, { ...player, name: 'Ann_From_School' }, at(30 * 86_400_000)),
    event('player.privacy', { player: player.uuid, profile: false, online: false, names: true }),
    punishment('fly', player, { type: 'warn', reason: 'Fly hack' }, at(2 * 86_400_000)),
    punishment('fly again', player, ban, at(60_000)),
    presence(server.name, { current: 1, players: [player.name] }, at(-1_000)),
  );
}

/** A webhook in each state; the log of the first one has a message in every state. */
async function fillWebhooks({ db, clock, config }: AppContext, { key }: Application): Promise<void> {
  const now = clock.now();
  const feed = await readFeed(db);
  const place = { after_reset: 'head', cursor: { feed: feed.id, number: Math.max(0, feed.head - 3) } } as const;
  const add = async (url: string, more: Partial<NewWebhook> = {}): Promise<number> => {
    const wanted = { key, url, form: 'standard', kinds: RESOURCE_KINDS, ...place, ...more } as const;
    const { id } = (await addWebhook(db, now, openSecretKey(config), wanted))!;
    return (await webhookById(db, id))!.key;
  };
  const on = await add('https://board.example.org/hooks/scorehall');
  await markVerified(db, now, on);
  await add('https://hooks.example.net/');
  await add('https://discord.com/api/webhooks/104857612345678901', {
    ...{ form: 'discord', kinds: ['match', 'punishment'], token: 'token' },
  });
  const off = await add('https://down.example.org/', { kinds: ['player'] });
  await turnOff(db, now, off, 'failures');
  const waiting = await add('https://busy.example.org/');
  const until = now + 1_800_000;
  await db.run(
    sql`update webhooks set state = 'on', failures = 4, failing = 0, next_attempt = ${until} where key = ${waiting}`,
  );
  const [change] = (await changesWithFeed(db, 0, 1, ['match'])).changes as [Change];
  const page = '<h1>502 Bad Gateway</h1>\n<p>nginx</p>';
  const sent = { status: 204, reason: '', ms: 38, response: '' };
  const rows: NewDelivery[] = [
    { type: 'match.created', change, state: 'delivered', attempts: 1, next_attempt: null, result: sent },
    {
      type: 'match.created',
      change,
      state: 'failed',
      attempts: 2,
      next_attempt: null,
      result: { ...sent, status: 429, reason: 'replaced' },
    },
    {
      ...{ type: 'match.created', change, state: 'failed', attempts: 5, next_attempt: null },
      result: { status: 502, reason: '', ms: 1_204, response: page },
    },
    {
      ...{ type: 'match.created', change, state: 'waiting', attempts: 3, next_attempt: until },
      result: { status: null, reason: 'timeout', ms: 15_000, response: '' },
    },
    { type: 'feed.reset', state: 'delivered', attempts: 1, next_attempt: null, result: sent },
    { type: 'webhook.test', state: 'waiting', attempts: 0, next_attempt: now },
  ];
  for (const row of rows) await db.transaction((tx) => addDelivery(tx, now, on, row));
}

/** A job in every state. One that waits names the job that is running. */
async function fillJobs({ db, clock }: AppContext): Promise<void> {
  const now = clock.now();
  const [player] = (await db.tuple(sql`select uuid from players order by key limit 1`))!;
  const jobs: [NewJob, Partial<Job>][] = [
    [
      { kind: 'withdrawal', label: 'Dockside', total: 12_345 },
      { state: 'done', done: 12_345, finished: now },
    ],
    [
      { kind: 'counters', label: 'wools' },
      { state: 'failed', done: 7, finished: now, error: 'The database is full.' },
    ],
    [
      { kind: 'withdrawal', label: 'Alpha', total: 20_000 },
      { state: 'paused', done: 4_100 },
    ],
    [{ kind: 'merge', label: String(player), total: 1_900 }, { done: 1_250 }],
    [{ kind: 'anonymisation', label: 'Rook', total: 300 }, { state: 'pausing' }],
    [{ kind: 'withdrawal', label: 'Drydock' }, {}],
  ];
  for (const [job, progress] of jobs) {
    const key = await db.transaction((tx) => createJob(tx, now, job));
    await saveJob(db, { ...(await jobByKey(db, key))!, ...progress });
  }
}

/** One page of every kind. */
export async function consolePages(
  { db }: AppContext,
  { application, waiting, changed, other }: ConsoleWorld,
): Promise<ConsolePage[]> {
  const firstId = async (query: ReturnType<typeof sql>): Promise<string> => idOf((await db.tuple(query))![0] as number);
  const request = await firstId(sql`select key from access_requests where state = 'waiting'`);
  const change = await firstId(sql`select key from application_changes`);
  // Not the first server: another part of a test may have added one without keys before it.
  const server = await firstId(sql`select min(server_key) from server_keys`);
  const key = await firstId(sql`
    select key from server_keys where server_key = (select min(server_key) from server_keys) limit 1`);
  const punishment = await firstId(sql`select max(key) from punishments where revoked is null`);
  const [from, into] = (await db.tuples(sql`select uuid from players order by key limit 2`)).map(([uuid]) =>
    String(uuid),
  );
  // With matches and a punishment in force.
  const [punished] = (await db.tuple(sql`
    select p.uuid from players p join punishments q on q.punished_key = p.key
    where q.revoked is null and exists (select 1 from player_matches m where m.player_key = p.key)
    order by q.key desc limit 1`))!;
  const webhook = (state: string): Promise<string> =>
    firstId(sql`select min(key) from webhooks where application_key = ${application.key} and state = ${state}`);
  const counter = String((await db.tuple(sql`select min(key) from counters`))![0]);
  const job = (state: string, kind: string): Promise<string> =>
    firstId(sql`select key from jobs where state = ${state} and kind = ${kind}`);
  const [app, own] = [`/console/applications/${application.client_id}`, `/console/applications/${waiting.client_id}`];
  const pages: Record<string, string> = {
    applications: '/console/applications',
    new: '/console/applications/new',
    application: app,
    'application-waiting': own,
    access: `${app}/access`,
    usage: `${app}/usage`,
    webhooks: `${app}/webhooks`,
    webhook: `${app}/webhooks/${await webhook('on')}`,
    'webhook-unverified': `${app}/webhooks/${await webhook('unverified')}`,
    settings: `${app}/settings`,
    'settings-change': `/console/applications/${changed.client_id}/settings`,
    delete: `${app}/delete`,
    operator: '/console/operator',
    'operator-search': '/console/operator/search?q=a',
    'operator-request': `/console/operator/requests/${request}`,
    'operator-change': `/console/operator/changes/${change}`,
    'operator-applications': '/console/operator/applications',
    'operator-webhooks': '/console/operator/webhooks',
    'operator-accounts': '/console/operator/accounts',
    'operator-account': `/console/operator/accounts/${other.id}`,
    'operator-account-help': `/console/operator/accounts/${other.id}/help`,
    'operator-names-account': `/console/operator/names?q=${other.name}`,
    'operator-servers': '/console/operator/servers',
    'operator-counters': '/console/operator/counters',
    'operator-counter': `/console/operator/counters/${counter}`,
    'operator-server': `/console/operator/servers/${server}`,
    'operator-key': `/console/operator/servers/${server}/keys/${key}`,
    'operator-players': '/console/operator/players',
    'operator-player': `/console/operator/players/${String(punished)}`,
    'operator-merge': `/console/operator/players/merge?from=${from}&into=${into}`,
    'operator-punishments': '/console/operator/punishments',
    'operator-punishment': `/console/operator/punishments/${punishment}`,
    'operator-punishment-new': '/console/operator/punishments/new',
    'operator-punishment-changes': '/console/operator/punishments/changes',
    'operator-names': `/console/operator/names?q=${from}`,
    'operator-warnings': '/console/operator/warnings',
    'operator-audit': '/console/operator/audit',
    'operator-jobs': '/console/operator/jobs',
    'operator-job-waiting': `/console/operator/jobs/${await job('waiting', 'withdrawal')}`,
    'operator-job-failed': `/console/operator/jobs/${await job('failed', 'counters')}`,
  };
  const unchecked = 'It has only parts of the jobs that wait and have failed.';
  const jobs = [
    { name: 'running', path: await job('waiting', 'merge') },
    { name: 'pausing', path: await job('pausing', 'anonymisation') },
    { name: 'paused', path: await job('paused', 'withdrawal') },
    { name: 'done', path: await job('done', 'withdrawal') },
  ].map(({ name, path }) => ({ name: `operator-job-${name}`, path: `/console/operator/jobs/${path}`, unchecked }));
  const confirmation = {
    name: 'operator-confirmation',
    path: `/console/operator/accounts/${other.id}`,
    press: '.actions .danger',
  };
  const lost = { name: 'lost', path: '/console/nothing', error: 404 };
  const reset = {
    name: 'operator-factor-reset',
    path: `/console/operator/accounts/${other.id}/help`,
    press: '[aria-labelledby=factors] .danger',
  };
  return [...Object.entries(pages).map(([name, path]) => ({ name, path })), lost, confirmation, reset, ...jobs];
}

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openServices } from '#server/listeners.ts';
import { idOf } from '#platform/ids.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { TYPES, type WireEvent } from '#events/schema/index.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { apiDocument } from '#api/index.ts';
import { createSite } from '#site/index.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { launchBrowser } from '#test/support/browser.ts';
import {
  account,
  after as soon,
  configured,
  event,
  login,
  logout,
  map,
  match,
  pardon,
  person,
  presence,
  progress,
  punishment,
  rating,
  rotation,
  statistics,
  sendEvents,
} from '#test/support/builders.ts';
import {
  type Closing,
  createTestDatabase,
  onEachDatabase,
  type TestAppContext,
  testContext,
} from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { HOSTILE, strangeIn, TURNING } from '#test/support/hostile.ts';
import { everyPage } from './pages.ts';

/**
 * Copies of an event in which one string is replaced by a hostile text, shortened to each maximum length of the schema, so
 * that one of the copies is accepted.
 */
function* hostileCopies(event: WireEvent, text: string): Generator<WireEvent> {
  for (const path of stringsIn(event.data, [])) {
    const copy = structuredClone(event) as { id: string; data: Record<string, unknown> };
    copy.id = `${event.id} ${path.join('.')} ${secretHash(text)}`.slice(0, 128);
    const last = path.at(-1)!;
    let parent: Record<string, unknown> = copy.data;
    for (const step of path.slice(0, -1)) parent = parent[step] as Record<string, unknown>;
    for (const length of [512, 128, 64, 32]) {
      parent[last] = text.slice(0, length);
      yield structuredClone(copy) as unknown as WireEvent;
    }
  }
}

/** The paths of all strings in a value. */
function stringsIn(value: unknown, path: string[]): string[][] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => stringsIn(inner, [...path, name]));
}

/** One event of each type, with keys that are unique per `number`. */
function templates(number: number): WireEvent[] {
  const [one, two] = [person(number, 'One'), person(number + 500, 'Two')];
  const played = (player: typeof one) => ({
    ...{ ...player, kill_count: 2, shot_count: 3 },
    counters: { [`assists_${number}`]: 4 },
  });
  return [
    configured('Alpha', { icon: 'icon' }),
    map('Twin Peaks', {
      proto: '1.4',
      objective: 'Goal',
      authors: [{ name: 'Author', contribution: 'Terrain' }],
      teams: [{ name: 'Red', max: 3, color: 'red' }],
      gamemodes: ['ctw'],
      type: 'type',
      path: 'path',
    }),
    match({
      win: '',
      teams: [
        { name: 'Red', players: [played(one)] },
        { name: 'Blue', players: [played(two)] },
      ],
      objectives: [
        { player: one, team: 'Red', type: 'wool', name: 'Wool', color: 'red', time: '2026-03-01T12:00:00Z' },
      ],
      kills: [{ killer: one.uuid, victim: two.uuid, time: '2026-03-01T12:00:00Z' }],
    }),
    rotation('Alpha', ['Twin Peaks']),
    rating('Twin Peaks', one, 4, '1.0.0'),
    punishment(`p${number}`, one, { punisher: two, reason: 'Why', type: 'warn' }),
    login('Alpha', one),
    logout('Alpha', one),
    statistics(one, { faction: 'Faction', kill_count: 1 }),
    event('player.named', { player: one }),
    event('punishment.changed', { punishment: `p${number}`, reason: 'Why not', type: 'kick' }),
    punishment(`q${number}`, two, { reason: 'Why' }),
    pardon(`q${number}`),
    event('player.known', { player: person(number + 600, 'Known') }, { receipt: idOf(2 ** 40 + number) }),
    login('Alpha', person(number + 700, 'From')),
    event('player.merged', { from: person(number + 700).uuid, into: person(number + 600).uuid }),
    event('player.privacy', { player: person(number + 600).uuid, profile: false, online: false, names: true }),
    event('player.name_removed', {
      player: { uuid: one.uuid },
      hash: `hash ${number}`,
      until: '2026-03-01T12:00:00.000Z',
    }),
    configured(`Gone ${number}`),
    event('server.removed', {}, { server: `Gone ${number}` }),
    event('account.link', { player: person(number + 800, 'Linked'), code: 'K7QW2MXR' }),
    event('counter.declared', { key: `assists_${number}`, label: { en: 'Assists', ja: 'アシスト' }, modes: ['ctw'] }),
    event('counter.declared', { key: `gone_${number}`, label: { en: 'Gone', ja: '消えた' } }),
    event('counter.removed', { key: `gone_${number}` }),
    running(number, 'Text'),
    presence('Alpha', { players: ['Name'], gamemode: 'ctw', current_map: 'Twin Peaks', next_map: 'Next' }),
  ];
}

/** A running match with a text in every string, newer than those of smaller numbers. */
function running(number: number, text: string): WireEvent {
  const [name, color] = [text.slice(0, 128), text.slice(0, 32)];
  const player = person(number, text.slice(0, 64));
  const time = soon(number * 1000);
  const objective = { player, team: name, type: 'other', name, color, time } as const;
  const teams = [{ name, color, players: [{ ...player, score: 1 }] }];
  return progress({ map: name, gamemode: color, started: time, teams, objectives: [objective] }, { time });
}

/** Ingests each hostile text in every string of every event type. */
async function ingestHostileTexts(context: TestAppContext): Promise<void> {
  for (const [number, text] of HOSTILE.entries()) {
    const operator = { kind: 'operator' } as const;
    const templateEvents = templates(number);
    await ingestEvents(context.db, context.clock, operator, templateEvents);
    const events = templateEvents.flatMap((event) => [...hostileCopies(event, text)]);
    const servers = [configured(text.slice(0, 128)), match({ teams: [] }, { server: text.slice(0, 128) })];
    await ingestEvents(context.db, context.clock, operator, [...events, ...servers, running(number + 1, text)]);
    await link(context, person(number + 800, text.slice(0, 64)));
  }
  await runJobsOnce(context);
}

/** Links a player with a hostile name to an account, which takes over the name. */
async function link(context: TestAppContext, player: ReturnType<typeof person>): Promise<void> {
  const owner = await account(context, `Person${Number.parseInt(player.uuid.slice(-6), 16)}`);
  const code = await newLinkCode(context.db, context.clock.now(), owner.id);
  await sendEvents(context, event('account.link', { player, code }));
  assert.equal((await accountById(context.db, owner.id))!.name, player.name);
}

async function pathsOf(context: TestAppContext): Promise<string[]> {
  const tables = { matches: 'matches', maps: 'maps', punishments: 'punishments' };
  const site = createSite(context, async () => apiDocument(context.config));
  const paths = new Set((await everyPage(context.db)).map(({ path }) => path));
  for (const list of Object.keys(tables)) {
    for (let next: string | undefined = `/${list}`; next !== undefined;) {
      const body: string = await (await site.request(`http://127.0.0.1${next}`)).text();
      for (const [, href] of body.matchAll(/href="(\/(?:matches|maps|punishments|players)\/[0-9a-z-]+)"/g))
        paths.add(href!);
      paths.add(next);
      next = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
  }
  return [...paths];
}

test('the templates cover every event type', () => {
  const types = new Set(templates(1).map(({ type }) => type));
  assert.deepEqual([...types].sort(byText), [...TYPES].sort(byText));
});

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

onEachDatabase('every event with direction marks or control characters in a text is rejected', async (t, url) => {
  const context = await testContext(t, url);
  const operator = { kind: 'operator' } as const;
  const templateEvents = templates(1);
  await ingestEvents(context.db, context.clock, operator, templateEvents);
  const places = new Set<string>();
  for (const [number, mark] of TURNING.entries()) {
    const events = templateEvents.flatMap((event) => [...hostileCopies(event, `x${mark}y`)]);
    for (const { status, ...receipt } of await ingestEvents(context.db, context.clock, operator, events)) {
      assert.equal(status, 'rejected', JSON.stringify({ number, status, ...receipt }));
      const { reason, place } = receipt as { reason: string; place: string };
      if (reason.includes('must not contain control characters, invalid Unicode, or marks that change the direction'))
        places.add(place);
    }
  }
  for (const place of [
    'data.player.name',
    'data.teams.0.players.0.name',
    'data.reason',
    'data.authors.0.name',
    'data.maps.0',
  ])
    assert.ok(places.has(place), place);
});

describe('a network of hostile texts', () => {
  const closing = new AsyncDisposableStack();
  let context: TestAppContext;

  before(async () => {
    const database = await createTestDatabase('sqlite');
    closing.defer(() => database.drop());
    const own: Closing = { after: (close) => closing.defer(close) };
    const mail = await Mailbox.open(own);
    const settings = { NETWORK_NAME: `<b onclick="x">'&`, SMTP_URL: mail.url };
    context = await testContext(own, database.url, settings);
    await ingestHostileTexts(context);
  });
  after(() => closing.disposeAsync());

  test('every field of every event is displayed as text and never executed', async () => {
    const site = createSite(context, async () => apiDocument(context.config));
    const paths = await pathsOf(context);
    assert.ok(paths.length > 100, `${paths.length} pages`);
    for (const path of [...paths, '/matches.atom', '/punishments.atom']) {
      const response = await site.request(`http://127.0.0.1${path}`);
      const body = await response.text();
      assert.ok(
        response.status === 200 || response.status === 302 || path === '/matches/nothing',
        `${path}: ${response.status}`,
      );
      assert.deepEqual(strangeIn(body), [], path);
    }
  });

  test('hostile texts do not run, cause errors or overflow in a browser', async () => {
    await using services = await openServices(context, ['SITE']);
    await using browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    const faults: string[] = [];
    page.on('dialog', (dialog) => void (faults.push(dialog.message()), dialog.dismiss()));
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    const paths = (await pathsOf(context)).filter((_, index) => index % 9 === 0);
    for (const path of paths.filter((path) => path !== '/matches/nothing' && !path.startsWith('/developers'))) {
      await page.goto(services.addresses.SITE! + path, { waitUntil: 'domcontentloaded' });
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (over > 0) faults.push(`${over} px wider than the window`);
      assert.deepEqual(faults, [], path);
    }
  });
});

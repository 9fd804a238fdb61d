/**
 * Takes a picture of every page of the site, the console and the sign-in service into data/shots/, narrow and wide, light
 * and dark, with the sample network behind the site. The lists of the site are also taken of a network without any data
 * (`empty-…`), and the header of a person who is signed in (`signed-in`).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openServices } from '#server/listeners.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { openAppContext, type AppContext } from '#context/context.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { sampleNetwork } from '#demo/network/index.ts';
import { recordOnline } from '#demo/presence.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { shootSignIn } from './auth/shots.ts';
import { shootConsole, shootConsoleForReadme } from './console/shots.ts';
import { everyPage, type SitePage } from './site/pages.ts';
import { makePrivate, presentAt } from './site/world.ts';
import { siteSession } from './site/session.ts';
import { event, person, sendEvents } from './support/builders.ts';
import { launchBrowser } from './support/browser.ts';
import { PICTURE_SIZE, README_PICTURES, takeReadmePicture } from './support/readme-pictures.ts';
import { isWanted, looksIn, pictureAt, shoot, type Wanted } from './support/shots.ts';

const MATCHES = 800;
/** A server that has never sent anything. */
const DRYDOCK = {
  version: 1,
  id: 'drydock',
  type: 'server.configured',
  time: new Date(systemClock.now()).toISOString(),
  server: 'Drydock',
  data: { region: 'Amsterdam', order: 90 },
} as WireEvent;
const DAY_MS = 86_400_000;

const USAGE = `Takes pictures of the pages of the site, the console and the sign-in into data/shots/, in two sizes and two colour schemes.

  npm run shots                all of them
  npm run shots -- match       those whose name contains each of the words
  npm run shots -- --lang=ja   in Japanese
  npm run shots -- --readme    the pictures of README.md, into docs/pictures/`;

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(USAGE);
  process.exit();
}
const wanted: Wanted = {
  language: args.find((arg) => arg.startsWith('--lang='))?.slice(7) ?? 'en',
  parts: args.filter((arg) => !arg.startsWith('--')),
};

const temporary = mkdtempSync(join(tmpdir(), 'scorehall-shots-'));
try {
  if (args.includes('--readme')) await shootReadme();
  else {
    const ofSite = (await shootSite()) + (await shootEmptySite());
    const pages = ofSite + (await shootConsole(wanted)) + (await shootSignIn(wanted));
    console.log(`${pages} pages are in data/shots/`);
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function shootSite(): Promise<number> {
  await using context = await openSiteContext('shots.db');
  await fill(context);
  const pages = (await everyPage(context.db)).filter(({ name }) => isWanted(wanted, name));
  await shootPages(context, pages);
  await using services = await openServices(context, ['SITE']);
  const site = services.addresses.SITE!;
  const withCard = pages.filter(({ name }) => /^(match|match-free-for-all|player|map)$/.test(name));
  for (const { name, path } of withCard) await card(site, name, `${path}.png`);
  if (pages.some(({ name }) => name === 'home')) await card(site, 'site', '/site.png');
  return pages.length + (await shootSignedIn(context));
}

async function shootReadme(): Promise<void> {
  const console = await shootConsoleForReadme(README_PICTURES);
  const ofSite = README_PICTURES.filter((picture) => !console.includes(picture));
  await using context = await openSiteContext('shots.db');
  await fill(context);
  await using services = await openServices(context, ['SITE']);
  await using browser = await launchBrowser();
  const page = await browser.newPage({ viewport: PICTURE_SIZE, colorScheme: 'light', locale: 'en' });
  const pages = await everyPage(context.db);
  for (const picture of ofSite) {
    const shown = pages.find(({ name }) => name === picture.page);
    if (shown === undefined) throw new Error(`README.md shows ${picture.page}, which is no page of the site`);
    await takeReadmePicture(page, services.addresses.SITE! + shown.path, picture);
  }
}

/** Every list before a network has sent anything. */
async function shootEmptySite(): Promise<number> {
  const paths = ['', 'matches', 'maps', 'leaderboards', 'players', 'punishments', 'search?q=a', 'developers'];
  const pages = paths
    .map((path) => ({ name: `empty-${path.replace(/\?.*/, '') || 'home'}`, path: `/${path}` }))
    .filter(({ name }) => isWanted(wanted, name));
  if (pages.length === 0) return 0;
  await using context = await openSiteContext('empty.db');
  await shootPages(context, pages);
  return pages.length;
}

/** The front page for an operator with a linked game account, with the menu open. */
async function shootSignedIn(context: AppContext): Promise<number> {
  if (!isWanted(wanted, 'signed-in')) return 0;
  // The menu shows the head of the person, and only players have one.
  await sendEvents(context, event('player.known', { player: person(1, 'Wharfinger') }));
  const cookie = await siteSession(context, { name: 'Wharfinger', role: 'operator', linked: true });
  await shootPages(context, [{ name: 'signed-in', path: '/' }], cookie);
  return 1;
}

async function openSiteContext(file: string): Promise<AppContext> {
  const settings = {
    DATABASE_URL: join(temporary, file),
    SITE_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'warn',
    PRESENCE_TIMEOUT: '3600',
  };
  return await openAppContext(readConfig({ ...settings, NETWORK_NAME: 'Gullwing Quay', CONTACT: 'hello@example.org' }));
}

async function shootPages(context: AppContext, pages: readonly SitePage[], cookie?: string): Promise<void> {
  if (pages.length === 0) return;
  await using services = await openServices(context, ['SITE']);
  await using browser = await launchBrowser();
  const site = services.addresses.SITE!;
  for (const { look, options } of looksIn(wanted.language)) {
    const page = await browser.newPage({
      ...options,
      ...(cookie === undefined ? {} : { extraHTTPHeaders: { cookie } }),
    });
    const open = cookie === undefined ? '' : '.person summary';
    for (const { name, path, error } of pages)
      await shoot(page, { address: site + path, name: `${name}-${look}`, open, error });
    await page.close();
  }
}

async function card(site: string, name: string, path: string): Promise<void> {
  const answer = await fetch(`${site}/cards${path}${wanted.language === 'en' ? '' : `?lang=${wanted.language}`}`);
  writeFileSync(pictureAt(`card-${name}`), await answer.bytes());
}

/** The generated history, the heartbeats of the last day, and the data that jobs derive from them. */
async function fill(context: AppContext): Promise<void> {
  const now = systemClock.now();
  const sample = sampleNetwork({ seed: 'shots', now, matches: MATCHES });
  await take(context, sample.events());
  await take(context, [DRYDOCK]);
  await recordOnline(context.db, sample.onlineBetween(now - DAY_MS, now));
  await take(context, presentAt(sample, now));
  await makePrivate(context);
  await runJobsOnce(context);
}

async function take(context: AppContext, events: Iterable<WireEvent>): Promise<void> {
  const batch: WireEvent[] = [];
  for (const event of events) if (batch.push(event) === 500) await send(context, batch.splice(0));
  await send(context, batch);
}

async function send({ db, clock }: AppContext, events: WireEvent[]): Promise<void> {
  const receipts = await ingestEvents(db, clock, { kind: 'operator' }, events);
  const refused = receipts.find(({ status }) => status === 'rejected');
  if (refused !== undefined) throw new Error(JSON.stringify(refused));
}

/**
 * Takes a picture of every page of the site and the console into data/shots/, narrow and wide, light and dark, with the
 * sample network behind the site.
 *
 *   npm run shots             all of them
 *   npm run shots -- match    those whose name contains this
 *   npm run shots -- --lang=ja
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openServices } from '#server/listeners.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { openAppContext, type AppContext } from '#context/context.ts';
import { ingestEvents } from '#events/ledger.ts';
import { recordOnline } from '#store/game/online-samples.ts';
import type { WireEvent } from '#events/schema.ts';
import { sampleNetwork } from '#demo/network/index.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { shootConsole } from './console/shots.ts';
import { everyPage } from './site/pages.ts';
import { launchBrowser } from './support/browser.ts';
import { isWanted, looksIn, pictureAt, shoot, type Wanted } from './support/shots.ts';

const MATCHES = 800;
const DAY_MS = 86_400_000;

const args = process.argv.slice(2);
const wanted: Wanted = {
  language: args.find((arg) => arg.startsWith('--lang='))?.slice(7) ?? 'en',
  parts: args.filter((arg) => !arg.startsWith('--')),
};

const temporary = mkdtempSync(join(tmpdir(), 'scorehall-shots-'));
try {
  const pages = (await shootSite()) + (await shootConsole(wanted));
  console.log(`${pages} pages are in data/shots/`);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function shootSite(): Promise<number> {
  const settings = { DATABASE_URL: join(temporary, 'shots.db'), SITE_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'warn' };
  await using context = await openAppContext(
    readConfig({ ...settings, NETWORK_NAME: 'Gullwing Quay', CONTACT: 'hello@example.org' }),
  );
  await fill(context);
  await using services = await openServices(context, ['SITE']);
  await using browser = await launchBrowser();
  const site = services.addresses.SITE!;
  const pages = (await everyPage(context.db)).filter(({ name }) => isWanted(wanted, name));
  for (const { look, options } of looksIn(wanted.language)) {
    const page = await browser.newPage(options);
    for (const { name, path } of pages) await shoot(page, site + path, `${name}-${look}`);
    await page.close();
  }
  for (const { name, path } of pages.filter(({ name }) => name === 'match' || name === 'player'))
    await card(site, name, path);
  return pages.length;
}

async function card(site: string, name: string, path: string): Promise<void> {
  const answer = await fetch(`${site}/cards${path}.png`);
  writeFileSync(pictureAt(`card-${name}`), await answer.bytes());
}

/** The season, the heartbeats of the last day, and whatever upkeep makes of them. */
async function fill(context: AppContext): Promise<void> {
  const now = systemClock.now();
  const sample = sampleNetwork({ seed: 'shots', now, matches: MATCHES });
  await take(context, sample.events());
  await recordOnline(context.db, sample.onlineBetween(now - DAY_MS, now));
  await take(context, sample.presenceAt(now));
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

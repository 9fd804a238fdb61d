import { sql } from '#db/sql.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { fillConsole } from '#test/console/world.ts';
import { application, login, person, sendEvents, serviceToken } from '#test/support/builders.ts';
import type { Dialect } from '#test/support/context.ts';
import { recordApi } from './api.ts';
import { recordConsoleActs } from './console/acts.ts';
import type { Routes } from './coverage.ts';
import { recordDump } from './dump.ts';
import { playHistory } from './history.ts';
import { recordMails } from './mails.ts';
import { playOperator } from './operator.ts';
import { recordConsole, recordSignIn, recordSite } from './pages.ts';
import type { Recording } from './recording.ts';
import { recordRequest } from './requests.ts';
import { recordLinking, recordSignInActs } from './sign-in-acts.ts';
import { recordSiteExtras } from './site-extras.ts';
import { openWorld, type World } from './world.ts';

interface Played {
  /** The arguments of the commands that ran. */
  commands: string[][];
  /** The types of the events that were accepted. */
  types: Set<string>;
}

/** The history of events and commands, with the data API. */
export async function recordHistory(recording: Recording, dialect: Dialect, routes: Routes): Promise<Played> {
  await using world = await openWorld(dialect, dialect, recording, { WEBHOOK_NETWORKS: '127.0.0.1:*' });
  const { keys, types } = await playHistory(world);
  await recordDump(recording, `${dialect}/after-events`, world.context.db);
  const token = await tokenOf(world);
  routes.add(await recordApi(world, token));
  await playOperator(world);
  await runJobsOnce(world.context);
  await recordDump(recording, `${dialect}/after-commands`, world.context.db);
  await recordMails(world);
  await recordApi(world, token, 'api-after-commands');
  routes.add(await recordReceipts(world, keys));
  for (const [type] of await world.context.db.tuples(sql`select distinct type from ledger`)) types.add(String(type));
  return { commands: world.ran, types };
}

async function recordReceipts({ recording, name, ingest: origin }: World, keys: Record<string, string>) {
  const path = '/openapi.json';
  const { json } = await recordRequest(recording, `${name}/ingest/openapi.txt`, { origin, path });
  for (const [server, token] of Object.entries(keys))
    await recordRequest(recording, `${name}/ingest/receipts-${server}.txt`, {
      origin,
      path: '/receipts?limit=1000',
      wish: { token },
    });
  const { paths } = json as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
  );
}

/** A large network behind every page of the site, the console and the sign-in. */
export async function recordPages(recording: Recording, routes: Routes): Promise<Played> {
  await using world = await openWorld('pages', 'sqlite', recording);
  const filled = await fillConsole(world.context);
  routes.add(await recordApi(world, await tokenOf(world)));
  await recordSite(world);
  await recordConsole(world, filled);
  await recordSignIn(world);
  await recordSiteExtras(world);
  await recordConsoleActs(world, filled);
  await runJobsOnce(world.context);
  await recordSignInActs(world);
  await runJobsOnce(world.context);
  await recordMails(world);
  await recordDump(recording, 'pages/at-the-end', world.context.db);
  const accepted = await world.context.db.tuples(sql`select distinct type from ledger`);
  return { commands: world.ran, types: new Set(accepted.map(([type]) => String(type))) };
}

/** Other settings: accounts must be linked, and heads come from another host. */
export async function recordSettings(recording: Recording): Promise<void> {
  const settings = { REGISTRATION: 'linked', HEADS_URL: 'http://127.0.0.1:1/{uuid}.png' };
  await using world = await openWorld('linked', 'sqlite', recording, settings);
  await sendEvents(world.context, login('Alpha', person(1, 'Ada')));
  const { uuid } = person(1);
  await recordRequest(recording, 'linked/head.txt', { origin: world.site, path: `/heads/${uuid}` });
  await recordRequest(recording, 'linked/player.html', { origin: world.site, path: `/players/${uuid}` });
  await recordLinking(world);
  await recordMails(world);
}

async function tokenOf({ context }: World): Promise<string> {
  const { client_id } = await application(context, { name: 'Reader', limit: 1_000_000 });
  return await serviceToken(context, client_id, 90 * 24 * 3_600_000);
}

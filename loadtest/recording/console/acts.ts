import { totpCode, totpStep } from '#platform/crypto/totp.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { accountByName } from '#store/accounts/accounts.ts';
import type { Person } from '#test/auth/person.ts';
import { makeAccount } from '#test/auth/support.ts';
import { enter } from '#test/console/support.ts';
import { giveApp } from '#test/support/builders.ts';
import { consolePages, type ConsoleWorld } from '#test/console/world.ts';
import type { World } from '../world.ts';
import { ownApplications } from './applications.ts';
import { RecordedBrowser } from './recorded-browser.ts';
import {
  askForPassword,
  decide,
  manageAccounts,
  managePlayers,
  manageServers,
  mergePlayers,
  moderate,
} from './operator.ts';
import { manageWebhooks } from './webhooks.ts';

/** Submits every form of the console, with valid and with refused values, confirms what asks for it, and records the pages. */
export async function recordConsoleActs(world: World, filled: ConsoleWorld): Promise<void> {
  const pages = Object.fromEntries((await consolePages(world.context, filled)).map(({ name, path }) => [name, path]));
  const ghost = await makeAccount(world, 'Ghost');
  const molly = await makeAccount(world, 'Molly', { uuid: '22222222-2222-4333-8444-555555555555', name: 'Molly' });
  await setRole(world.context.db, molly.id, 'moderator');
  const enterAs = async (name: string): Promise<RecordedBrowser> =>
    new RecordedBrowser(world, name, (await enter(world, name)).console);
  const [operator, moderator] = [await enterAs('Mariner'), await enterAs('Molly')];
  const owner = new RecordedBrowser(world, 'Newcomer', await enterWithApp(world, 'Newcomer'));
  await ownApplications(owner, operator, pages, filled);
  await manageWebhooks(operator, pages, world.context.db);
  await decide(operator, pages, filled);
  await manageAccounts(operator, ghost.id, filled);
  await mergePlayers(operator, pages);
  await manageServers(operator, pages);
  await moderate(operator, moderator, pages);
  await managePlayers(operator, pages);
  await askForPassword(world, operator, pages);
  await operator.act('sign out', '/console', '/console/sign-out');
  await operator.act('without a session', '/console', '/console/operator/servers', { name: 'x' });
}

/** Signs somebody in at the console with a new authenticator app. */
async function enterWithApp(world: World, name: string): Promise<Person> {
  const { db, clock } = world.context;
  const secret = await giveApp(world.context, (await accountByName(db, name))!.id);
  const { console, signIn } = await enter(world, name);
  await signIn.submit({ code: totpCode(secret, totpStep(clock.now())) }, '/second');
  await console.open(signIn.page.url);
  return console;
}

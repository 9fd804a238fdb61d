import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from '#db/sql.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { Person } from './person.ts';
import { freePort, openTestAuth, PASSWORD, type RunningTestAuth } from './support.ts';

/** Services with a mail server that receives their mails. */
export interface World {
  services: RunningTestAuth;
  mail: Mailbox;
}

type Settings = Record<string, string>;

export async function openWorld(t: TestContext, url: string, settings: Settings = {}): Promise<World> {
  const mail = await Mailbox.open(t);
  return { services: await openTestAuth(t, url, { SMTP_URL: mail.url, ...settings }), mail };
}

/** A world in which passkeys work: they need a domain. */
export async function openWorldWithDomain(t: TestContext, url: string): Promise<World> {
  return await openWorld(t, url, { AUTH_URL: `http://localhost:${await freePort()}` });
}

export async function openWorldOnSqlite(t: TestContext, settings: Settings = {}): Promise<World> {
  const database = await createTestDatabase('sqlite');
  const world = await openWorld(t, database.url, settings);
  t.after(() => database.drop());
  return world;
}

export async function signIn(
  { services }: World,
  login: string,
  password = PASSWORD,
  person = new Person(services.auth),
): Promise<Person> {
  await person.open('/sign-in');
  await person.submit({ login, password });
  return person;
}

export async function isSignedIn(person: Person): Promise<boolean> {
  return new URL((await person.open('/account')).url).pathname === '/account';
}

/** Requests a change, and opens the link in the mail to the new address. @returns the link that undoes it, if any */
export async function changeEmail(world: World, person: Person, from: string, to: string): Promise<string | undefined> {
  const confirmation = await requestEmailChange(world, person, from, to);
  await person.open(confirmation);
  await person.submit();
  assert.equal(person.page.status, 200);
  const { subject, text, links } = await world.mail.next(from);
  assert.match(subject, /was changed/);
  assert.doesNotMatch(text, /forgot/, 'a new password would be mailed to the new address');
  return links.find((link) => link.includes('/email/undo?'));
}

/** @returns the link that confirms the new address */
export async function requestEmailChange(world: World, person: Person, from: string, to: string): Promise<string> {
  const { services, mail } = world;
  const { db, clock } = services.context;
  await db.run(sql`update account_sessions set proved = ${clock.now()}`);
  await person.open('/account/email');
  const asksPassword = person.page.html.includes('name="current"');
  await person.submit({ email: to, ...(asksPassword && { current: PASSWORD }) });
  assert.match((await mail.next(from)).subject, /about to change/);
  return (await mail.next(to)).links[0]!;
}

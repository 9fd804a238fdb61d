import type { TestContext } from 'node:test';
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

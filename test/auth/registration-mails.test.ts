import assert from 'node:assert/strict';
import { LIMITS } from '#http/limits.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { Person } from './person.ts';
import { makeAccount, PASSWORD } from './support.ts';
import { openWorld, type World } from './world.ts';

const MINUTE_MS = 60_000;
/** More than a network may register in an hour. */
const ATTEMPTS = LIMITS.register.max.network + 1;

/** Registers from a separate address. @returns the text of the page */
async function register({ services }: World, attempt: number, email: string): Promise<string> {
  const address = `203.0.113.${attempt % 250}`;
  const person = new Person(services.auth, { 'x-forwarded-for': address });
  await person.open('/register');
  await person.submit({ name: `Name${attempt}`, email, password: PASSWORD });
  assert.equal(person.page.status, 200, person.text);
  return person.text;
}

onEachDatabase('registrations send one mail a kind, address and ten minutes, and refuse nobody', async (t, url) => {
  const world = await openWorld(t, url, { TRUSTED_PROXIES: '127.0.0.1' });
  const { services, mail } = world;
  await makeAccount(services, 'Robin');
  const pages = new Set<string>();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) pages.add(await register(world, attempt, 'robin@example.org'));
  assert.equal(pages.size, 1, 'the page is always the same');
  await services.stop();
  await services.context.mail.settled();
  assert.match((await mail.next('robin@example.org')).subject, /already have an account/);
  assert.equal(mail.count, 0);
});

onEachDatabase('after ten minutes an address gets another mail, and the first link still works', async (t, url) => {
  const world = await openWorld(t, url, { TRUSTED_PROXIES: '127.0.0.1' });
  const { services, mail } = world;
  await register(world, 1, 'new@example.org');
  const first = (await mail.next('new@example.org')).links[0]!;
  await register(world, 2, 'NEW@example.org');
  services.context.clock.advance(10 * MINUTE_MS - 1);
  await register(world, 3, 'new@example.org');
  const person = new Person(services.auth);
  assert.equal((await person.open(first)).status, 200);
  services.context.clock.advance(1);
  await register(world, 4, 'new@example.org');
  assert.match((await mail.next('new@example.org')).subject, /Finish your registration/);
  assert.equal(mail.count, 0);
});

import assert from 'node:assert/strict';
import { onEachDatabase } from '#test/support/context.ts';
import { requestFor } from './flow.ts';
import { makeAccount, makeApplication } from './support.ts';
import { isSignedIn, openWorld, signIn } from './world.ts';

const DAY_MS = 86_400_000;

onEachDatabase('a session ends 30 days after it began, however often it is used', async (t, url) => {
  const world = await openWorld(t, url);
  await makeAccount(world.services, 'Robin');
  const { application } = await makeApplication(world.services, 'web');
  const { clock } = world.services.context;
  const person = await signIn(world, 'Robin');
  const use = (): Promise<unknown> => person.open(requestFor(world.services, application.client_id));
  for (let count = 0; count < 2; count++) {
    clock.advance(10 * DAY_MS);
    await use();
  }
  clock.advance(10 * DAY_MS - 1);
  await use();
  assert.equal(await isSignedIn(person), true, 'use has renewed it');
  clock.advance(1);
  assert.equal(await isSignedIn(person), false);
});

onEachDatabase('a session ends after SESSION_LIFETIME without use', async (t, url) => {
  const world = await openWorld(t, url, { SESSION_LIFETIME: '3600' });
  await makeAccount(world.services, 'Robin');
  const { application } = await makeApplication(world.services, 'web');
  const { clock } = world.services.context;
  const person = await signIn(world, 'Robin');
  clock.advance(3_599_999);
  await person.open(requestFor(world.services, application.client_id));
  clock.advance(3_599_999);
  assert.equal(await isSignedIn(person), true, 'use has renewed it');
  clock.advance(1);
  assert.equal(await isSignedIn(person), false);
});

import assert from 'node:assert/strict';
import { createApplication } from '#store/applications/applications.ts';
import { addOwner } from '#store/applications/owners.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { makeAccount } from '#test/auth/support.ts';
import { enter, openTestConsole } from './support.ts';

onEachDatabase('a scheme without a dot is refused; one registered before goes on, with a warning', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { db, clock } = services.context;
  const ann = await makeAccount(services, 'Ann');
  const facts = { name: 'Old', type: 'installed', redirect_uris: ['myapp:/cb'], access: 'none' } as const;
  const { application } = await createApplication(db, clock.now(), { ...facts, redirect_uris: ['myapp:/cb'] });
  await addOwner(db, clock.now(), application.key, ann.id);
  const { console } = await enter(services, 'Ann');
  const root = `/console/applications/${application.client_id}`;
  await console.open(root);
  assert.match(console.text, /Other programs can claim this scheme\. Replace it by one with a dot/);
  await console.open(`${root}/settings`);
  await console.submit({ name: 'Renamed' }, '/settings');
  assert.match(console.page.url, /done=saved/, 'the registered scheme stays valid');
  await console.submit({ redirect_uris: 'myapp:/cb\nother:/cb' }, '/settings');
  assert.deepEqual([console.page.status, /other:\/cb.*must use a scheme with a dot/.test(console.text)], [422, true]);
});

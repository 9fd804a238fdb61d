import assert from 'node:assert/strict';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { application, configured, event, login, map, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { enter, makeOperator, openTestConsole } from './support.ts';

onEachDatabase('links to the console and the sign-in show the card of the site', async (t, url) => {
  const services = await openTestConsole(t, url);
  for (const address of [`${services.site}/console`, `${services.auth}/register`]) {
    const html = await (await fetch(address)).text();
    assert.ok(html.includes(`<meta property="og:image" content="${services.site}/cards/site.png" />`), address);
  }
});

onEachDatabase('an empty network shows the operator its first steps until it has them all', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db, clock } = context;
  await makeOperator(services, 'Olga');
  const { console } = await enter(services, 'Olga');
  /** The steps that are still open. */
  const open = async (): Promise<string[]> => {
    await console.open('/console/operator');
    const list = /<h2 id="first-hour">.*?<\/ol>/s.exec(console.page.html)?.[0] ?? '';
    return [...list.matchAll(/<strong>([^<]+)<\/strong>(?:(?!<\/li>).)*badge warn/gs)].map(([, title]) => title!);
  };
  const [server, first, maps, app, address] = [
    'A game server with a key',
    'The first event',
    'Maps',
    'An application',
    'A public address',
  ];
  assert.deepEqual(await open(), [server, first, maps, app, address]);
  assert.match(console.text, /1 of 6 done/);
  assert.match(console.text, /SITE_URL AUTH_URL API_URL INGEST_URL/);

  await sendEvents(context, configured('Alpha'));
  const { key } = (await serverByName(db, 'Alpha'))!;
  await createServerKey(db, clock.now(), key, true);
  assert.equal((await open())[0], server, 'a test key stores nothing');
  await createServerKey(db, clock.now(), key);
  assert.equal((await open())[0], first);
  await sendEvents(context, login('Alpha', person(1), { time: new Date(clock.now()).toISOString() }));
  assert.equal((await open())[0], first, 'an imported event is not one of the server');
  const sender = { kind: 'server', serverKey: key, serverName: 'Alpha', credential: 1 } as const;
  const time = new Date(clock.now()).toISOString();
  await ingestEvents(db, clock, sender, [event('player.login', { player: person(2) }, { time })]);
  assert.deepEqual(await open(), [maps, app, address]);
  await sendEvents(context, map('Isle', {}, { time }));
  assert.deepEqual(await open(), [app, address]);
  assert.match((await console.open('/console/operator?lang=ja')).html, /ネットワークを始める/);
  await application(context);
  assert.deepEqual(await open(), [], 'the address alone does not keep the list');
});

import assert from 'node:assert/strict';
import { idOf } from '#platform/ids.ts';
import { listAudit } from '#store/audit/audit.ts';
import { sql } from '#db/sql.ts';
import { managedServer } from '#store/game/watches/managed-servers.ts';
import { recordPolls, watchOf } from '#store/game/watches/server-watches.ts';
import { serverByName } from '#store/game/servers.ts';
import { configured, presence, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { confirm, enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

onEachDatabase('an operator watches a server and reads the outcome of the polls', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { db, clock } = services.context;
  await sendEvents(services.context, configured('Alpha', { region: 'eu-west' }));
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const { key } = (await serverByName(db, 'Alpha'))!;
  const at = `/console/operator/servers/${idOf(key)}`;
  const post = async (path: string, fields: Record<string, string> = {}): Promise<string> => {
    await olga.open(at);
    await olga.post(at + path, { form_token: tokenOn(olga.page.html), ...fields });
    return olga.text;
  };

  const refused = await post('/watch', { address: 'http://play.example.org', protocol: 'valve' });
  assert.match(refused, /Enter HOST, HOST:PORT or \[IPv6\]:PORT/);
  assert.match(olga.page.html, /value="eu-west"/, 'the other form keeps its values');
  assert.match(olga.page.html, /value="http:\/\/play\.example\.org"/);
  assert.match(await post('/watch', { address: 'play.example.org', protocol: 'valve' }), /Add the query port/);
  assert.equal(await watchOf(db, key), undefined);

  const target = { address: 'play.example.org:27015', protocol: 'valve' } as const;
  assert.match(await post('/watch', { ...target, address: 'Play.example.org:27015' }), /first poll within seconds/);
  const ended = clock.now();
  await recordPolls(db, [{ serverKey: key, ...target, ended, result: { playerCount: 7, max: 24 } }]);
  await olga.open(at);
  assert.match(olga.text, /answers/);
  assert.match(olga.text, /7 of 24 players/);
  await recordPolls(db, [{ serverKey: key, ...target, ended, result: { error: 'private_redirect' } }]);
  await recordPolls(db, [{ serverKey: key, ...target, address: 'old:1', ended, result: { playerCount: 1, max: 1 } }]);
  await olga.open(at);
  assert.match(olga.text, /no answer The SRV record of this name leads to a private address/);
  assert.match(olga.text, /7 of 24 players/, 'the last success stays');
  await sendEvents(services.context, presence('Alpha', {}, { time: new Date(ended).toISOString() }));
  await olga.open(at);
  assert.match(olga.text, /reports itself/);

  await post('/watch/remove');
  assert.equal(await watchOf(db, key), undefined);
  const entries = (await listAudit(db, { subject: idOf(key) }, 20)).map(({ action, detail }) => [action, detail]);
  assert.deepEqual(entries, [
    ['server.watch.remove', {}],
    ['server.watch.set', target],
  ]);
  const connection = {
    url: 'wss://play.example.org:25585',
    secret: 'aVerySecretManagementSecretOf40Letters00',
    ca: '',
  };
  const wrong = await post('/management', { url: 'ws://play.example.org:1', secret: 'a b', ca: 'x' });
  assert.match(wrong, /Enter wss:\/\/HOST:PORT, or ws:.* without blanks.* no private key/);
  assert.equal(await managedServer(db, key), undefined);
  assert.match(await post('/management', connection), /first connection within seconds/);
  assert.ok(!olga.page.html.includes(connection.secret), 'the secret is not shown again');
  assert.equal((await managedServer(db, key))?.url, connection.url);
  await db.run(sql`update managed_servers set state = 'unauthorized'`);
  await olga.open(at);
  assert.match(olga.text, /not connected The secret is wrong/);
  await post('/management/remove');
  assert.equal(await managedServer(db, key), undefined);
  await post('/management', connection);
  const set = (await listAudit(db, { subject: idOf(key) }, 1))[0]!;
  assert.deepEqual([set.action, set.detail], ['server.manage.set', { url: connection.url }]);
  await post('/watch', target);
  await post('/delete');
  await confirm(olga);
  assert.equal(await watchOf(db, key), undefined, 'a deleted server is not watched');
  assert.equal(await managedServer(db, key), undefined, 'nor followed');
});

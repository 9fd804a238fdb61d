import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from '#db/sql.ts';
import { decideChange, waitingChanges } from '#store/applications/application-changes.ts';
import { applicationByClientId, setAccess } from '#store/applications/applications.ts';
import { addOwner } from '#store/applications/owners.ts';
import { listAudit } from '#store/audit/audit.ts';
import { application } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, type TestClock } from '#test/support/context.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { makeAccount } from '#test/auth/support.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { pngOf } from './png.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const [OLD, NEW] = ['https://board.example/callback', 'https://other.example/callback'] as const;

/** Ann and Bob own an application; Olga is an operator. */
async function open(t: TestContext, url: string, access: 'approved' | 'none' = 'approved') {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db, clock } = context;
  const mails: string[] = [];
  context.mail.send = (mail) => void mails.push(`${mail.to}: ${mail.subject}\n${mail.text}`);
  const app = await application(context, { name: 'Board', redirect_uris: [OLD], access });
  for (const name of ['Ann', 'Bob']) await addOwner(db, clock.now(), app.key, (await makeAccount(services, name)).id);
  await makeOperator(services, 'Olga');
  const { console: ann } = await enter(services, 'Ann');
  const { console: olga } = await enter(services, 'Olga');
  const settings = `/console/applications/${app.client_id}/settings`;
  const save = async (person: typeof ann, fields: Record<string, string>): Promise<string> => {
    await person.open(settings);
    return (await person.submit(fields, '/settings')).url.replace(/.*done=/, '');
  };
  const inForce = async () => {
    const { name, redirect_uris, require_pkce } = (await applicationByClientId(db, app.client_id))!;
    return [name, redirect_uris.join(' '), require_pkce];
  };
  const review = async (): Promise<string> => {
    await olga.open('/console/operator');
    const path = /\/console\/operator\/changes\/\w+/.exec(olga.page.html)![0];
    await olga.open(path);
    return path;
  };
  const decide = async (path: string, state: string, note = ''): Promise<string> => {
    const form_token = tokenOn(olga.page.html);
    return (await olga.post(path, { form_token, state, note })).url.replace(/.*done=/, '');
  };
  return { db, context, app, ann, olga, settings, save, inForce, review, decide, mails, url };
}

const actions = async ({ db, app }: Pick<Awaited<ReturnType<typeof open>>, 'db' | 'app'>) =>
  (await listAudit(db, { subject: app.client_id }, 20)).map(({ action, actor }) => `${action} ${actor}`).reverse();

onSqlite('name and redirect URIs of an approved application wait for the operator', async (t, url) => {
  const world = await open(t, url);
  const { ann, olga, settings, save, inForce, review, decide, mails } = world;
  await ann.open(settings);
  assert.match(ann.text, /A new name, a new logo and added Redirect URIs wait until an operator approves them/);
  assert.equal(await save(ann, { name: 'Shop', redirect_uris: NEW, require_pkce: '1' }), 'waits');
  assert.deepEqual(await inForce(), ['Board', OLD, true], 'all else applies at once');
  assert.match(ann.text, /Your change waits for the operator.*Board.*Shop/s);
  const sent = mails.splice(0);
  assert.deepEqual(
    sent.map((mail) => mail.split('\n', 1)[0]),
    [
      'ann@example.org: A change of Board waits for the operator · Testnet',
      'bob@example.org: A change of Board waits for the operator · Testnet',
      'olga@example.org: A request is waiting for you · Testnet',
    ],
  );
  assert.match(sent[2]!, /- Board: new name, logo or Redirect URIs, by Ann/);
  assert.equal(await save(ann, {}), 'waits', 'the form shows the wanted values, so saving again changes nothing');
  assert.equal(mails.length, 0);

  const path = await review();
  assert.match(olga.text, /Name: Now\s+Board\s.*Name: After approval\s+Shop\s+new/s);
  assert.match(olga.text, /board\.example\/callback\s*goes away.*other\.example\/callback\s*new/s);
  assert.equal((await olga.post(path, { form_token: tokenOn(olga.page.html), state: 'refused' })).status, 422);
  for (const state of ['', 'yes']) assert.equal(await decide(path, state, 'No.'), 'undecided');
  assert.match(olga.text, /Nothing was changed: choose one of the buttons\./);
  assert.equal(await decide(path, 'approved'), 'approved');
  assert.deepEqual(await inForce(), ['Shop', NEW, true]);
  for (const note of ['No.', '']) assert.equal(await decide(path, 'refused', note), 'gone', 'it is decided once');
  assert.match(mails.join('\n'), /^ann@.*Approved: change of Board.*bob@.*are in force/s);
  assert.deepEqual(await actions(world), [
    'application.change.ask Ann',
    'application.change.ask Ann',
    'application.change.approve Olga',
  ]);
});

onEachDatabase('an operator decides only about the change that the page has shown', async (t, url) => {
  const world = await open(t, url);
  const { db, app, ann, olga, save, inForce, review, decide } = world;
  await save(ann, { name: 'Shop' });
  const seen = await review();
  await save(ann, { name: 'Bank' });
  assert.equal(await decide(seen, 'approved'), 'gone');
  assert.deepEqual(await inForce(), ['Board', OLD, false]);
  const second = await review();
  assert.equal(await decide(second, 'refused', 'Not your bank.'), 'refused');
  assert.deepEqual(await inForce(), ['Board', OLD, false]);

  await save(ann, { redirect_uris: `${OLD}\n${NEW}` });
  await ann.submit({}, '/change/withdraw');
  assert.equal((await waitingChanges(db, 9)).length, 0);
  await save(ann, { redirect_uris: `${OLD}\n${NEW}` });
  assert.equal(await save(olga, { require_pkce: '1' }), 'saved');
  assert.deepEqual(await inForce(), ['Board', OLD, true], 'other settings of an operator do not approve it');
  assert.equal((await waitingChanges(db, 9)).length, 1);
  assert.equal(await save(olga, { redirect_uris: `${OLD}\n${NEW}` }), 'saved', 'a change of an operator is in force');
  assert.deepEqual([(await inForce())[1], (await waitingChanges(db, 9)).length], [`${OLD} ${NEW}`, 0]);
  await save(ann, { name: 'Bank' });
  assert.equal(await save(ann, { name: 'Board', redirect_uris: NEW }), 'saved', 'a lost address goes away at once');
  assert.deepEqual([(await inForce())[1], (await waitingChanges(db, 9)).length], [NEW, 0]);

  await save(ann, { name: 'Bank' });
  const [{ id } = { id: '' }] = await waitingChanges(db, 9);
  const both = await Promise.all([decideChange(db, id, 'approved'), decideChange(db, id, 'refused')]);
  assert.equal(both.filter((decided) => decided !== undefined).length, 1);
  await setAccess(db, app.client_id, 'revoked');
  assert.equal(await save(ann, { name: 'Free' }), 'saved', 'an application that nobody approved does not wait');
});

onEachDatabase('a new address for after a sign-out waits for the operator like a redirect URI', async (t, url) => {
  const { db, app, ann, olga, settings, save, review, decide } = await open(t, url);
  const inForce = async () => (await applicationByClientId(db, app.client_id))!.post_logout_redirect_uris;
  const BYE = 'https://other.example/bye';
  await ann.open(settings);
  await ann.submit({ post_logout_redirect_uris: `${BYE}\nftp://x.example/` }, '/settings');
  assert.equal(ann.page.status, 422);
  assert.match(ann.text, /ftp:\/\/x\.example\/ must be https/);
  assert.equal(await save(ann, { post_logout_redirect_uris: BYE }), 'waits');
  assert.deepEqual(await inForce(), []);
  assert.match(ann.text, /Redirect URIs after sign-out: After approval https:\/\/other\.example\/bye new/);
  assert.equal(await decide(await review(), 'approved'), 'approved');
  assert.deepEqual(await inForce(), [BYE]);
  await ann.open(`/console/applications/${app.client_id}`);
  assert.match(ann.text, /Redirect URIs after sign-out https:\/\/other\.example\/bye PKCE/);
  assert.equal(await save(ann, { post_logout_redirect_uris: '' }), 'saved', 'a lost address goes away at once');
  assert.deepEqual(await inForce(), []);
  assert.equal(await save(olga, { post_logout_redirect_uris: BYE }), 'saved', 'a change of an operator is in force');
  assert.deepEqual(await inForce(), [BYE]);
});

onEachDatabase('a new logo of an approved application waits for the operator', async (t, url) => {
  const world = await open(t, url);
  const { context, db, app, ann, olga, settings, save, inForce, review, decide, mails } = world;
  const upload = async (person: typeof ann, grey: number): Promise<string> => {
    await person.open(settings);
    const logo = new Blob([pngOf(grey)], { type: 'image/png' });
    return (await person.upload(settings.replace('settings', 'logo'), { form_token: tokenOn(person.page.html), logo }))
      .url;
  };
  const picture = async (person: typeof ann, path: string) => Buffer.from((await person.image(path)).bytes);
  const shown = async () => (await picture(ann, `/console/logos/${app.client_id}`)).equals(pngOf(1));
  const waiting = async () => (await waitingChanges(db, 9)).map(({ name, logo }) => [name, logo !== null]);
  const own = `/console/applications/${app.client_id}/change/logo`;

  assert.match(await upload(olga, 1), /done=saved$/, 'an operator needs no approval');
  assert.match(await upload(ann, 2), /done=waits$/);
  assert.match(await upload(ann, 2), /done=waits$/);
  assert.equal(mails.splice(0).length, 3, 'the same logo again is no news: two owners and the operator');
  assert.ok(await shown());
  const first = await review();
  const address = new RegExp(`${own}/\\w+`).exec(olga.page.html)![0];
  assert.ok((await picture(olga, address)).equals(pngOf(2)));
  assert.match((await olga.image(address)).cacheControl, /private/);

  assert.equal(await save(ann, { name: 'Shop' }), 'waits');
  assert.deepEqual(await waiting(), [['Shop', true]], 'the logo waits together with the name');
  assert.equal(await decide(first, 'approved'), 'gone');
  assert.equal((await ann.open(address)).status, 404);
  assert.equal(await save(ann, { name: 'Board' }), 'saved');
  assert.deepEqual(await waiting(), [['Board', true]], 'only the name is given up');
  assert.equal(await save(olga, { name: 'Club' }), 'saved');
  assert.match(await upload(ann, 3), /done=waits$/);
  const second = await review();
  assert.match(olga.text, /Logo: Now.*Logo: After approval/);
  assert.equal(await decide(second, 'refused', 'Not your picture.'), 'refused');
  assert.deepEqual([await waiting(), await shown(), (await inForce())[0]], [[], true, 'Club']);

  await upload(ann, 4);
  await save(ann, { name: 'Bank' });
  assert.match(await upload(ann, 1), /done=saved$/, 'the logo in force ends one that waits');
  assert.deepEqual(await waiting(), [['Bank', false]]);
  await upload(ann, 4);
  await ann.submit({}, '/change/withdraw');
  assert.deepEqual(await waiting(), []);
  assert.equal((await db.tuples(sql`select 1 from application_changes`)).length, 0, 'the picture is deleted');
  await upload(ann, 5);
  assert.equal(await decide(await review(), 'approved'), 'approved');
  assert.ok((await picture(ann, `/console/logos/${app.client_id}`)).equals(pngOf(5)));
  assert.equal((await inForce())[0], 'Club');

  (context.clock as TestClock).advance(11 * 60_000);
  assert.match(
    await upload(olga, 6),
    /\/oauth\/authorize\?.*prompt=login/,
    'an operator enters the password before the logo of others',
  );
  assert.ok((await picture(ann, `/console/logos/${app.client_id}`)).equals(pngOf(5)));
});

onSqlite('commands list and decide changes', async (t, url) => {
  const { ann, save, inForce } = await open(t, url);
  const mailbox = await Mailbox.open(t);
  const secret = { SECRET_KEY: 'a secret that is long enough for tests' };
  const env = { DATABASE_URL: url, SMTP_URL: mailbox.url, ...secret };
  await save(ann, { name: 'Shop', post_logout_redirect_uris: `${OLD}/bye` });
  const [listed] = JSON.parse((await scorehall(env, 'access', 'list', '--json')).out) as Record<string, string>[];
  assert.deepEqual([listed!['kind'], listed!['name']], ['change', 'Board']);
  assert.match(
    listed!['purpose']!,
    /^name: Shop; redirect URIs: https:\/\/board\.example\/callback; after sign-out: \S+\/bye$/,
  );
  assert.deepEqual((await scorehall(env, 'access', 'approve', '--request', 'none')).status, 2);
  const { status, err } = await scorehall(env, 'access', 'approve', '--request', listed!['id']!);
  assert.equal(status, 0, err);
  assert.deepEqual((await inForce())[0], 'Shop');
  assert.match((await mailbox.next('bob@example.org')).subject, /^Approved: change of Board/);
});

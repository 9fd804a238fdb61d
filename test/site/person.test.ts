import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { login, match, person, punishment, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { makeAccount } from '#test/auth/support.ts';
import { enter, openTestConsole } from '#test/console/support.ts';
import { get, page } from './request.ts';
import { siteSession } from './session.ts';

onEachDatabase('the header shows visitors the sign-in, and a person the menu, in private only', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, login('Alpha', person(1, 'Wharfinger')), match({ teams: [team('Red', 1)] }));
  const path = '/leaderboards?by=kill&period=all';
  const visitor = await get(context, path);
  const asVisitor = await visitor.text();
  assert.match(asVisitor, /href="\/console\/sign-in\?to=%2Fleaderboards%3Fby%3Dkill%26period%3Dall"/);
  assert.match(visitor.headers.get('cache-control')!, /^public/);
  assert.match(visitor.headers.get('vary')!, /Cookie/);

  const cookie = await siteSession(context, { name: 'Mara', linked: true });
  const own = await get(context, path, { headers: { cookie, 'if-none-match': visitor.headers.get('etag')! } });
  const asMara = await own.text();
  assert.equal(own.status, 200, 'the entity tag of visitors does not match');
  assert.deepEqual([own.headers.get('cache-control'), own.headers.get('etag')], ['private, no-store', null]);
  assert.match(asMara, /<summary[^>]*>[^]*?<bdi>Mara<\/bdi>/);
  assert.match(asMara, new RegExp(`href="/players/${person(1).uuid}">My page`));
  assert.match(asMara, /action="\/console\/sign-out">\s*<input type="hidden" name="form_token" value="[\w-]{43}"/);
  assert.ok(!asMara.includes('/console/operator') && !asMara.includes('/console/sign-in'));
  assert.match(own.headers.get('content-security-policy')!, /form-action 'self' http:\/\/127\.0\.0\.1:7401/);

  const operator = await siteSession(context, { name: 'Olga', role: 'operator' });
  const asOlga = await page(context, '/', { headers: { cookie: operator } });
  assert.ok(asOlga.includes('<a href="/console">') && !asOlga.includes('My page'));
});

onEachDatabase('a provisional name is shown as the person asked for it', async (t, url) => {
  const context = await testContext(t, url);
  const cookie = await siteSession(context, { name: 'Mara' });
  const asMara = async (): Promise<string> => await page(context, '/privacy', { headers: { cookie } });
  assert.match(
    await asMara(),
    /<summary aria-label="Menu of Mara"\s*>[^]*<bdi>Mara<\/bdi>[^]*<li class="person-name"><bdi>Mara</,
  );
  await context.db.run(sql`update accounts set name = 'Mara-38ft1k2k44p', name_key = 'mara-38ft1k2k44p'`);
  const shown = await asMara();
  assert.match(shown, /<summary aria-label="Menu of Mara"\s*>[^]*<bdi>Mara<\/bdi>/);
  assert.ok(!shown.includes('38ft1k2k44p'));
});

onEachDatabase(
  'operators and moderators reach the page of the console about a player or a punishment',
  async (t, url) => {
    const context = await testContext(t, url);
    const { uuid } = person(1, 'Rogue');
    const [id] = (await sendEvents(context, punishment('p1', person(1, 'Rogue')))) as [string];
    const linkFor = async (path: string, cookie: string): Promise<string | undefined> =>
      /class="moderate"[^>]* href="([^"]+)"/.exec(await page(context, path, { headers: { cookie } }))?.[1];
    const cookies = {
      Olga: await siteSession(context, { name: 'Olga', role: 'operator' }),
      Molly: await siteSession(context, { name: 'Molly', role: 'moderator' }),
      Ann: await siteSession(context, { name: 'Ann' }),
    };
    const links = async (path: string) =>
      await Promise.all(Object.values(cookies).map((cookie) => linkFor(path, cookie)));
    const [player, punished] = [`/console/operator/players/${uuid}`, `/console/operator/punishments/${id}`];
    assert.deepEqual(await links(`/players/${uuid}`), [player, `/console/operator/names?q=${uuid}`, undefined]);
    assert.deepEqual(await links(`/punishments/${id}`), [punished, punished, undefined]);
    assert.deepEqual(await links('/'), [undefined, undefined, undefined]);
  },
);

onEachDatabase(
  'a request without a valid session is that of a visitor; feeds and pictures have no session',
  async (t, url) => {
    const context = await testContext(t, url);
    const cookie = await siteSession(context, { name: 'Mara' });
    const isVisitor = async (header: string): Promise<boolean> => {
      const response = await get(context, '/privacy', { headers: { cookie: header } });
      return /^public/.test(response.headers.get('cache-control')!) && !(await response.text()).includes('Mara');
    };
    assert.equal(await isVisitor(cookie), false);
    assert.equal(await isVisitor(`${cookie}x`), true);
    assert.equal(await isVisitor(cookie.replace('site_session', 'session')), true, 'the cookie of the sign-in');
    assert.equal(await isVisitor('scorehall_site_session='), true);
    for (const path of ['/matches.atom', '/cards/site.png', '/sitemap.xml']) {
      const response = await get(context, path, { headers: { cookie } });
      assert.ok(!/private/.test(response.headers.get('cache-control')!), path);
      await response.arrayBuffer();
    }
    context.clock.advance(3_600_000);
    assert.equal(await isVisitor(cookie), true, 'an expired session');
    context.clock.advance(-3_600_000);
    await context.db.run(sql`update accounts set disabled = 1 where name = 'Mara'`);
    assert.equal(await isVisitor(cookie), true, 'a disabled account');
  },
);

onEachDatabase('who signs in at the console is signed in on the site, and signs out there', async (t, url) => {
  const services = await openTestConsole(t, url);
  await makeAccount(services, 'Mara');
  const { console: browser } = await enter(services, 'Mara');
  await browser.open('/leaderboards');
  assert.match(browser.page.html, /<summary[^>]*>[^]*?<bdi>Mara<\/bdi>/);
  await browser.submit({}, '/console/sign-out');
  await browser.open('/leaderboards');
  assert.match(browser.page.html, /href="\/console\/sign-in/);
  assert.ok(!browser.page.html.includes('Mara'));
});

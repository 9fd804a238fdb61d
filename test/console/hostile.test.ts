import assert from 'node:assert/strict';
import { createApplication } from '#store/applications/applications.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { addOwner } from '#store/applications/owners.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { event, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { HOSTILE, strangeIn } from '#test/support/hostile.ts';
import { CALLBACK, makeAccount, PASSWORD } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole } from './support.ts';
import { Person } from '#test/auth/person.ts';

/** Fails if the page contains markup from a hostile name. */
function assertHarmless({ page }: Person): void {
  assert.ok(page.status < 400, `${page.url}: ${page.status}`);
  assert.deepEqual(strangeIn(page.html), [], page.url);
}

onEachDatabase(
  'names of players and applications are escaped on every page of the sign-in and the console',
  async (t, url) => {
    const services = await openTestConsole(t, url);
    const { context } = services;
    await makeOperator(services, 'Olga');
    const { console: olga } = await enter(services, 'Olga');
    for (const [number, text] of HOSTILE.entries()) {
      const owner = await makeAccount(services, `Person${number}`);
      const code = await newLinkCode(context.db, context.clock.now(), owner.id);
      await sendEvents(
        context,
        event(
          'account.link',
          { player: person(number, text), code },
          { time: new Date(context.clock.now()).toISOString() },
        ),
      );
      const { application } = await createApplication(context.db, context.clock.now(), {
        name: text,
        type: 'web',
        redirect_uris: [CALLBACK],
        access: 'none',
      });
      await addOwner(context.db, context.clock.now(), application.key, owner.id);
      const actor = { via: 'console', account_id: owner.id, name: text, address: text } as const;
      const act = { action: 'x', subject: text, label: text, detail: { text } };
      await context.db.transaction((tx) => recordAudit(tx, context.clock.now(), actor, act));

      const browser = new Person(services.auth);
      const query = {
        client_id: application.client_id,
        response_type: 'code',
        scope: 'openid',
        redirect_uri: CALLBACK,
      };
      await browser.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
      assertHarmless(browser);
      await browser.submit({ login: `person${number}@example.org`, password: PASSWORD });
      assert.match(browser.page.html, /\/consent"/);
      assertHarmless(browser);
      await browser.submit({}, '/consent');
      for (const path of ['/account', '/account/unlink', '/account/delete', '/account/password']) {
        await browser.open(path);
        assertHarmless(browser);
      }
      const at = `/console/applications/${application.client_id}`;
      for (const path of [
        at,
        `${at}/access`,
        `${at}/settings`,
        `${at}/delete`,
        `/console/operator/accounts/${owner.id}`,
      ]) {
        await olga.open(path);
        assertHarmless(olga);
      }
    }
    for (const path of ['/applications', '/accounts', '/players', '/audit', '']) {
      await olga.open(`/console/operator${path}`);
      assertHarmless(olga);
    }
  },
);

import assert from 'node:assert/strict';
import { onEachDatabase } from '#test/support/context.ts';
import { sql } from '#db/sql.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { Person } from './person.ts';
import { makeAccount, makeApplication, openTestAuth, PASSWORD, send, type TestAuth } from './support.ts';
import { finishJobs } from '#test/support/jobs.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };
const ALEX = { uuid: '99999999-2222-4333-8444-555555555555', name: 'Alex' };

/** Reports a match in which the two players kill each other once. @returns the match's id */
async function play({ context }: TestAuth, killer = STEVE): Promise<string> {
  const now = new Date(context.clock.now()).toISOString();
  const receipt = await send(context, 'match.finished', {
    ...{ map: 'Quarry', gamemode: 'tdm', started: now, finished: now, win: 'Red' },
    teams: [
      { name: 'Red', players: [{ ...killer, kill_count: 1 }] },
      { name: 'Blue', players: [{ ...ALEX, kill_count: 1 }] },
    ],
    objectives: [{ player: killer, team: 'Red', type: 'flag', name: 'Blue flag', time: now }],
    kills: [
      { killer: killer.uuid.replaceAll('-', '').toUpperCase(), victim: ALEX.uuid, time: now },
      { killer: ALEX.uuid, victim: killer.uuid, time: now },
    ],
  });
  assert.equal(receipt.status, 'accepted', JSON.stringify(receipt));
  return (receipt as { receipt: string }).receipt;
}

onEachDatabase(
  'after a deletion the matches stay under one stable pseudonym, and nothing else stays',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const { context } = services;
    const account = await makeAccount(services, 'Someone', STEVE);
    const match = await play(services);
    await send(context, 'punishment.issued', { punishment: 'p1', punished: STEVE, punisher: STEVE, type: 'warn' });
    const { application, secret } = await makeApplication(services, 'service');
    const fields = { client_id: application.client_id, client_secret: secret!, grant_type: 'client_credentials' };
    const granted = await fetch(`${services.auth}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
    const { access_token } = (await granted.json()) as { access_token: string };
    const ask = async (path: string): Promise<{ status: number; text: string }> => {
      const response = await fetch(services.api + path, { headers: { authorization: `Bearer ${access_token}` } });
      return { status: response.status, text: await response.text() };
    };
    const everything = [
      '/v1/matches?fields=teams,objectives',
      `/v1/matches/${match}`,
      '/v1/punishments',
      '/v1/players/Alex?fields=kills,matches',
    ];
    for (const path of everything) assert.match((await ask(path)).text, /Steve/, path);

    const person = new Person(services.auth);
    await person.open('/sign-in');
    await person.submit({ login: 'Steve', password: PASSWORD });
    const exported = JSON.parse((await person.open('/account/export')).html) as Record<string, any>;
    assert.equal(exported['account'].email, account.email);
    assert.equal(exported['player'].matches.length, 1);
    assert.equal(exported['sessions'].length, 1);
    assert.doesNotMatch(JSON.stringify(exported), /argon2|password/);
    await person.open('/account/delete');
    await person.submit({ current: PASSWORD });
    assert.match(person.text, /Your account has been deleted/);
    await finishJobs(context.db);

    assert.equal(await accountById(context.db, account.id), undefined);
    const name = /deleted-[0-9a-z]{6}/.exec((await ask(`/v1/matches/${match}`)).text)![0];
    for (const path of everything) {
      const { text } = await ask(path);
      assert.doesNotMatch(text, /Steve|1111-?1111|11111111/, path);
      assert.match(text, new RegExp(name), path);
    }
    assert.equal((await ask('/v1/players/Steve')).status, 404);
    assert.equal((await ask(`/v1/players/${STEVE.uuid}`)).status, 404);
    assert.equal((JSON.parse((await ask(`/v1/players/${name}?fields=total`)).text) as any).total.play_count, 1);
    for (const table of [
      'ledger',
      'match_details',
      'players',
      'player_names',
      'kills',
      'punishments',
      'player_sessions',
    ]) {
      const rows = await context.db.all({ strings: [`select * from ${table}`], values: [] });
      assert.doesNotMatch(JSON.stringify(rows), /Steve|11111111/, table);
    }

    context.clock.advance(1_000);
    const later = await play(services, { ...STEVE, name: 'Stephen' });
    assert.match((await ask(`/v1/matches/${later}`)).text, new RegExp(name));
    assert.doesNotMatch((await ask(`/v1/matches/${later}`)).text, /Stephen/);
    assert.equal((JSON.parse((await ask(`/v1/players/${name}?fields=total`)).text) as any).total.play_count, 2);

    const newAccount = await makeAccount(services, 'Anew');
    await context.db.transaction((tx) => linkPlayer(tx, newAccount.id, STEVE));
    context.clock.advance(1_000);
    assert.match(
      (await ask(`/v1/matches/${await play(services)}`)).text,
      /Steve/,
      'after linking again, new matches carry the name',
    );
    assert.match((await ask(`/v1/matches/${match}`)).text, new RegExp(name), 'older matches stay under the pseudonym');
    assert.deepEqual(await context.db.all(sql`select uuid_hash from pseudonyms`), []);
  },
);

onEachDatabase(
  'a deleted game account can be linked again once the ledger is rewritten, any number of times',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const { db, clock } = services.context;
    await play(services);
    for (const name of ['One', 'Two', 'Three']) {
      const account = await makeAccount(services, name);
      const code = await newLinkCode(db, clock.now(), account.id);
      const typeCode = () => send(services.context, 'account.link', { player: STEVE, code });
      if (name !== 'One') {
        const early = await typeCode();
        assert.match(JSON.stringify(early), /rejected.*just deleted; try again in a few minutes.*"retry":true/);
        await finishJobs(db);
      }
      assert.equal((await typeCode()).status, 'accepted', name);
      await play(services);
      await deleteAccount(db, clock.now(), account.id);
    }
    await finishJobs(db);
    for (const table of ['ledger', 'match_details', 'players', 'player_names', 'kills', 'player_matches']) {
      const rows = await db.all({ strings: [`select * from ${table}`], values: [] });
      assert.doesNotMatch(JSON.stringify(rows), /Steve|11111111/, table);
    }
  },
);

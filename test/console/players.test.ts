import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { eventsOfPlayer } from '#store/game/player-events.ts';
import { findPlayer } from '#store/game/players.ts';
import { listAudit } from '#store/audit/audit.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { after, event, login, match, person, presence, punishment, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { makeAccount } from '#test/auth/support.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const steve = person(1, 'Steve');

onEachDatabase('the page of a player shows state, matches, punishments, names and other events', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const now = context.clock.now();
  const time = (ago: number): string => new Date(now - ago).toISOString();
  const matches = Array.from({ length: 11 }, (_, index) =>
    match(
      { started: time(700_000), finished: time(600_000), teams: [team('Red', 1, 2)] },
      { id: `m${index}`, time: time(600_000) },
    ),
  );
  const sessions = await sendEvents(
    context,
    ...Array.from({ length: 60 }, (_, index) =>
      login('Alpha', { ...steve, name: 'Stephen' }, { id: `l${index}`, time: time(900_000 - index) }),
    ),
  );
  const played = await sendEvents(context, ...matches);
  const [banned] = await sendEvents(
    context,
    punishment('p', steve, { reason: 'Was rude', expires: time(-86_400_000) }, { time: time(1000), server: 'Alpha' }),
    punishment('q', person(2), { type: 'warn' }, { time: time(1000) }),
  );
  await sendEvents(
    context,
    event('player.privacy', { player: steve.uuid, profile: true, online: false, names: true }),
    presence('Alpha', { current: 1, players: ['Steve'] }, { time: time(0) }),
  );
  await makeAccount(services, 'Ann', steve);
  await makeOperator(services, 'Olga');
  const { console } = await enter(services, 'Olga');

  for (const query of ['Stephen', 'steve', steve.uuid]) {
    await console.open(`/console/operator/players?q=${query}`);
    assert.match(console.page.html, new RegExp(`/console/operator/players/${steve.uuid}"`), query);
    assert.doesNotMatch(console.page.html, new RegExp(person(2).uuid));
  }
  await console.open('/console/operator/players');
  assert.match(console.page.html, new RegExp(person(2).uuid), 'the newest players');
  await console.open('/console/operator/players?q=nobody');
  assert.match(console.text, /Nothing found/);

  const path = `/console/operator/players/${steve.uuid}`;
  await console.open(path);
  assert.match(console.text, /banned Expires: .* online on Alpha/s);
  assert.match(console.text, /Account Steve/);
  assert.match(console.text, /Kept private the whole profile and former names/);
  assert.match(console.text, /Stephen/);
  assert.match(console.text, /Was rude/);
  assert.match(console.page.html, new RegExp(`<img src="/players/${steve.uuid}/head" alt=""`));
  assert.match(console.page.html, /<bdi>Twin Peaks<\/bdi><\/a><\/th>\s*<td data-label="Result">draw</);
  const shown = [...console.page.html.matchAll(/href="\/matches\/(\w+)"/g)].map(([, id]) => id!);
  assert.deepEqual(shown, played.toReversed().slice(0, 10), 'the newest matches, once');
  assert.match(console.page.html, new RegExp(`href="/players/${steve.uuid}/matches"`));
  assert.match(console.page.html, new RegExp(`punishments/new\\?player=${steve.uuid}"`));
  assert.match(console.page.html, new RegExp(`punishments/${banned}#revoke"`));
  const seen: string[] = [];
  for (;;) {
    seen.push(
      ...[...console.page.html.matchAll(/player\.login<\/code>\s*<span class="hint">(\w+)</g)].map(([, id]) => id!),
    );
    const next = /href="([^"]*before=\w+)"/.exec(console.page.html)?.[1];
    if (next === undefined) break;
    await console.open(next);
  }
  assert.deepEqual(seen.slice(-sessions.length), sessions.toReversed(), 'after the login that linked the account');
  for (const wrong of ['nonsense', person(99).uuid])
    assert.equal((await console.open(`/console/operator/players/${wrong}`)).status, 404);
  assert.doesNotMatch((await console.open(path)).html, /\/erase"/);

  await console.open('/console/operator/servers');
  await console.submit({ hidden: steve.uuid }, '/operator/network');
  await console.open(path);
  assert.match(console.text, /Never shown live/);
  assert.doesNotMatch(console.text, /online on Alpha/, 'heartbeats are stored without hidden players');

  // Moderators see the same state under "Names", and nothing of the operator's facts and acts.
  const moderator = await makeAccount(services, 'Mona');
  await setRole(context.db, moderator.id, 'moderator');
  const { console: mona } = await enter(services, 'Mona');
  await mona.open('/console/operator/names?q=Steve');
  assert.match(mona.text, /banned Expires: .*Was rude.*Stephen/s);
  assert.doesNotMatch(mona.page.html, /Last login|\/merge|audit|operator\/players|Kept private/);
  assert.equal((await mona.open(path)).status, 403);
});

onEachDatabase('a player without an account is erased: pages, events and audit log keep no trace', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { context } = services;
  const { db } = context;
  const time = { time: new Date(context.clock.now() - 60_000).toISOString() };
  await sendEvents(
    context,
    match(
      { finished: time.time, started: after(-1000, time.time), teams: [{ name: 'Red', players: [steve, person(2)] }] },
      time,
    ),
    punishment('p', steve, { reason: 'BO, known as Steve' }, time),
    login('Alpha', { ...steve, name: 'Bo' }, { time: after(-60_000, time.time) }),
  );
  await makeOperator(services, 'Olga');
  const { console } = await enter(services, 'Olga');
  await console.open(`/console/operator/players/${steve.uuid}`);
  assert.match(
    console.text,
    /keep a name of the player, because it has fewer than three characters.*BO, known as Steve/s,
  );
  const dry = ['player', 'erase', '--player', steve.uuid, '--dry-run', '--json'];
  const { out } = await scorehall({ DATABASE_URL: url, SECRET_KEY: context.config.SECRET_KEY }, ...dry);
  const { reasons_with_name: listed } = JSON.parse(out) as { reasons_with_name: { reason: string }[] };
  assert.deepEqual(
    listed.map(({ reason }) => reason),
    ['BO, known as Steve'],
  );
  await console.submit({ name: 'Someone' }, '/erase');
  assert.equal(console.page.status, 422);
  assert.ok(await findPlayer(db, steve.uuid));
  await console.submit({ name: 'Steve' }, '/erase');
  assert.match(console.text, /Erased\./);
  assert.match(console.page.url, /players\/[\da-f-]{36}\?done=erased/);
  assert.equal(await findPlayer(db, steve.uuid), undefined);
  assert.equal(await findPlayer(db, 'Steve'), undefined);
  await finishJobs(db);
  for (const table of [
    sql`ledger`,
    sql`players`,
    sql`player_matches`,
    sql`match_details`,
    sql`punishments`,
    sql`audit`,
  ])
    assert.doesNotMatch(JSON.stringify(await db.all(sql`select * from ${table}`)), new RegExp(`Steve|${steve.uuid}`));
  assert.equal((await listAudit(db, { action: 'player.erase' }, 5))[0]!.actor, 'Olga');
  assert.doesNotMatch(console.page.html, /\/erase"/, 'only once');

  // Every page that takes the UUID knows that the player was erased, and leads to nothing.
  const pages = ['players/', 'players?q=', 'names?q=', 'search?q=', 'audit?subject=', 'punishments?q='];
  for (const page of pages) {
    await console.open(`/console/operator/${page}${steve.uuid}`);
    assert.match(console.text, new RegExp(`The player with the UUID ${steve.uuid} was erased`), page);
    assert.doesNotMatch(console.page.html, /deleted-/, page);
  }
  const pseudonym = (await db.get<{ uuid: string }>(sql`select uuid from pseudonyms`))!.uuid;
  for (const erased of [steve.uuid, pseudonym]) {
    for (const [from, into] of [
      [erased, person(2).uuid],
      [person(2).uuid, erased],
    ]) {
      await console.open('/console/operator/players/merge');
      const form_token = tokenOn(console.page.html);
      await console.post('/console/operator/players/merge', { form_token, from: from!, into: into! });
      assert.deepEqual([console.page.status, /is never merged/.test(console.text)], [422, true]);
    }
  }
  for (const erased of [steve.uuid, pseudonym]) {
    await console.open(`/console/operator/players/merge?from=${erased}&into=${person(2).uuid}`);
    assert.match(console.text, /is never merged/);
  }
  await console.open('/console/operator/servers');
  await console.submit({ hidden: steve.uuid }, '/operator/network');
  await console.open('/console/operator/servers');
  assert.match(console.text, new RegExp(`Erased: ${steve.uuid}`));

  // By command: the preview, the refusal for a player with an account, and the erasure itself.
  const command = (...args: string[]) =>
    scorehall({ DATABASE_URL: url, SECRET_KEY: context.config.SECRET_KEY }, ...args);
  const other = ['--player', person(2).uuid];
  const asked = await command('player', 'erase', ...other);
  assert.match(
    asked.err,
    /replaces a player by a pseudonym.*: Player2 .*Is this the player\? Add --yes to do it, or --dry-run/,
  );
  const shown = await command('player', 'show', ...other, '--json');
  const described = JSON.parse(shown.out) as { events: unknown[]; names: { name: string }[] };
  assert.equal(described.events.length, 1);
  assert.deepEqual(
    described.names.map(({ name }) => name),
    ['Player2'],
  );
  assert.equal((await command('player', 'erase', ...other, '--yes')).status, 0);
  assert.equal(await findPlayer(db, person(2).uuid), undefined);
  assert.doesNotMatch(JSON.stringify(await db.all(sql`select * from audit`)), new RegExp(person(2).uuid));
  await makeAccount(services, 'Third', person(3, 'Third'));
  const refused = await command('player', 'erase', '--player', person(3).uuid, '--yes');
  assert.match(refused.err, /has an account; delete it/);
});

onEachDatabase('a page of events is whole where a merge left several observations of one event', async (t, url) => {
  const { context } = await openTestConsole(t, url);
  const time = { time: new Date(context.clock.now()).toISOString() };
  const ids = await sendEvents(
    context,
    ...Array.from({ length: 6 }, (_, index) => punishment(`p${index}`, steve, { type: 'warn' }, time)),
  );
  const { key } = (await findPlayer(context.db, steve.uuid))!;
  await context.db.run(sql`
    insert into name_observations (player_key, ledger_key, time, name)
    select player_key, ledger_key, time, 'Other' from name_observations where player_key = ${key}`);
  const events = await eventsOfPlayer(context.db, key, Number.MAX_SAFE_INTEGER, 4);
  assert.equal(events.length, 4);
  assert.equal(new Set(events.map((one) => one.key)).size, 4);
  assert.equal(ids.length, 6);
});

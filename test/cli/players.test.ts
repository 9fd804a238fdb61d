import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { login, match, person, presence, progress, punishment, sendEvents, team } from '#test/support/builders.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { keyOf } from '#platform/ids.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { mergePlayers } from '#admin/players.ts';
import { playerByUuid } from '#store/game/players.ts';
import { folderOf } from '#test/packages/importers/fixtures.ts';
import { type Ran, scorehall } from './scorehall.ts';

type Printed = Record<string, any>;

const [ANN, BEN, CLEO, DAN] = [person(1, 'Ann'), person(2, 'Ben'), person(3, 'Cleo'), person(4, 'Dan')];
const SECRET_KEY = 'a secret that is long enough for tests';

onEachDatabase('the data of a player without an account is exported to standard output or a file', async (t, url) => {
  const context = await testContext(t, url);
  await using folder = await folderOf({});
  const time = new Date(context.clock.now()).toISOString();
  const kills = [{ killer: ANN.uuid, victim: BEN.uuid, time }];
  await sendEvents(
    context,
    match({ started: time, finished: time, teams: [team('Red', ANN), team('Blue', BEN)], kills }, { time }),
    punishment('p', ANN, { type: 'warn', punisher: BEN }, { time }),
  );
  const run = async (...args: string[]): Promise<Ran> =>
    await scorehall({ DATABASE_URL: url }, 'player', 'export', ...args);

  const byName = await run('--player', 'ann');
  assert.deepEqual([byName.status, byName.err], [0, '']);
  const { exported, player, ...others } = JSON.parse(byName.out) as Printed;
  assert.deepEqual(others, {}, 'it has no account');
  assert.ok(Date.parse(exported) > 0);
  assert.deepEqual([player.uuid, player.names.length, player.matches.length], [ANN.uuid, 1, 1]);
  assert.deepEqual([player.kills.length, player.deaths, player.punishments.length], [1, [], 1]);
  assert.equal('punisher' in player.punishments[0], false, 'whose data it is too');

  const file = join(folder.path, 'ann.json');
  assert.deepEqual(await run('--player', ANN.uuid, file), { status: 0, out: '', err: '' });
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal((JSON.parse(readFileSync(file, 'utf8')) as Printed)['player'].uuid, ANN.uuid);
  assert.match((await run('--player', 'Nobody')).err, /--player: no player has or had the name "Nobody"/);
  assert.match((await run('--player', person(9).uuid)).err, /No player has the UUID/);
  assert.match((await run('--player', 'Ann', 'a', 'b')).err, /Name a single file/);
});

onEachDatabase('commands that take a UUID take a name, show whose it is and ask', async (t, url) => {
  const context = await testContext(t, url);
  const ago = (days: number): { time: string } => ({
    time: new Date(context.clock.now() - days * 86_400_000).toISOString(),
  });
  await sendEvents(
    context,
    login('Alpha', { ...CLEO, name: 'Ben' }, ago(30)),
    login('Alpha', ANN, ago(20)),
    login('Alpha', CLEO, ago(10)),
    login('Alpha', BEN, ago(9)),
    login('Alpha', { ...DAN, name: 'Dora' }, ago(8)),
    login('Alpha', DAN, ago(7)),
  );
  const run = async (...args: string[]): Promise<Ran> => await scorehall({ DATABASE_URL: url, SECRET_KEY }, ...args);
  const seen = ({ uuid, name }: { uuid: string; name: string }, days: number): string =>
    `${name} (${uuid}, last seen ${ago(days).time})`;

  const asked = await run('player', 'erase', '--player', 'dora');
  assert.equal(asked.status, 2);
  assert.ok(asked.err.includes(`${seen(DAN, 7)}. Is this the player? Add --yes`), asked.err);
  const dry = await run('player', 'erase', '--player', 'Dan', '--dry-run', '--json');
  assert.deepEqual(JSON.parse(dry.out), {
    ...{ uuid: DAN.uuid, name: 'Dan', last_seen: ago(7).time, dry_run: true },
  });

  const create = ['account', 'create', '--name', 'Someone', '--email', 'a@example.org', '--json'];
  const merge = ['player', 'merge', '--into', ANN.uuid, '--from'];
  const ambiguous = [
    ['player', 'erase', '--yes', '--player'],
    [...merge.slice(0, 2), '--yes', ...merge.slice(2)],
    ['player', 'merge', '--yes', '--from', DAN.uuid, '--into'],
    [...create, '--yes', '--uuid'],
  ];
  for (const args of ambiguous) {
    const { status, err } = await run(...args, 'ben');
    assert.equal(status, 2, args.join(' '));
    const option = args.at(-1)!;
    for (const one of [seen(BEN, 9), seen(CLEO, 10), `${option} has to be the UUID`]) assert.ok(err.includes(one), err);
    assert.match((await run(...args, 'Nobody')).err, new RegExp(`${option}: no player has or had the name "Nobody"`));
  }

  const merging = await run(...merge, 'Dan');
  for (const one of [seen(DAN, 7), seen(ANN, 20), 'Are these the players? Add --yes'])
    assert.ok(merging.err.includes(one), merging.err);

  const creating = await run(...create, '--uuid', 'Ann');
  assert.equal(creating.status, 2);
  assert.ok(creating.err.includes(`${seen(ANN, 20)}. Is this the player? Add --yes`), creating.err);
  for (const who of ['Ann', ANN.uuid]) {
    const { out } = await run(...create, '--uuid', who, '--dry-run');
    const { dry_run, uuid, name } = JSON.parse(out) as Printed;
    assert.deepEqual([dry_run, uuid, name], [true, ANN.uuid, 'Ann']);
  }
  assert.equal((JSON.parse((await run(...create, '--dry-run')).out) as Printed)['name'], 'Someone');
  assert.deepEqual(JSON.parse((await run('account', 'list', '--json')).out), [], 'nothing was created');
  const created = JSON.parse((await run(...create, '--uuid', 'Ann', '--yes')).out) as Printed;
  assert.deepEqual([created['name'], created['uuid']], ['Ann', ANN.uuid]);

  await run('account', 'create', '--name', 'Other', '--email', 'b@example.org');
  const link = ['account', 'link', '--account', 'Other', '--json', '--uuid'];
  const linking = await run(...link, 'Cleo');
  assert.ok(linking.err.includes(`${seen(CLEO, 10)}. Is this the player? Add --yes`), linking.err);
  const shown = JSON.parse((await run(...link, CLEO.uuid, '--dry-run')).out) as Printed;
  assert.deepEqual([shown['dry_run'], shown['uuid'], shown['name']], [true, CLEO.uuid, 'Cleo']);
  const linked = JSON.parse((await run(...link, 'Cleo', '--yes')).out) as Printed;
  assert.deepEqual([linked['name'], linked['uuid']], ['Cleo', CLEO.uuid]);

  const merged = await run(...merge, 'Dan', '--yes');
  assert.equal(merged.status, 0, merged.err);
  const { uuid, privacy } = JSON.parse((await run('player', 'show', '--player', DAN.uuid, '--json')).out) as Printed;
  assert.deepEqual([uuid, privacy], [ANN.uuid, { profile: false, online: false, names: false }]);
});

onEachDatabase('an erased player is no longer among those who are shown live', async (t, url) => {
  const context = await testContext(t, url, { SECRET_KEY });
  const online = { current: 2, players: ['Ann', 'Ben'] };
  await sendEvents(context, login('Alpha', ANN), login('Alpha', BEN), presence('Alpha', online));
  const shown = async (): Promise<unknown> =>
    (await context.db.all(sql`select players, player_count from presence`)).map((row) => ({ ...row }));
  assert.deepEqual(await shown(), [{ players: '["Ann","Ben"]', player_count: 2 }]);
  const { status, err } = await scorehall(
    { DATABASE_URL: url, SECRET_KEY },
    'player',
    'erase',
    '--player',
    'Ann',
    '--yes',
  );
  assert.equal(status, 0, err);
  assert.deepEqual(await shown(), [{ players: '["Ben"]', player_count: 1 }]);
});

onEachDatabase('a player whose events are all withdrawn is erased by UUID', async (t, url) => {
  const context = await testContext(t, url, { SECRET_KEY });
  const [id] = await sendEvents(context, login('Alpha', ANN));
  await retractEvents(context.db, context.clock, [keyOf(id!)!]);
  const erase = (uuid: string): Promise<Ran> =>
    scorehall({ DATABASE_URL: url, SECRET_KEY }, 'player', 'erase', '--player', uuid, '--yes');
  assert.match((await erase(BEN.uuid)).err, /No player has this UUID, and no withdrawn event names it/);
  const { status, err } = await erase(ANN.uuid);
  assert.equal(status, 0, err);
  const bodies = await context.db.tuples(sql`select body from ledger`);
  assert.doesNotMatch(JSON.stringify(bodies), /Ann|00000000-0000-4000-8000/);
  assert.match((await erase(ANN.uuid)).err, /was erased already/);
});

onEachDatabase('commands know the UUID of an erased player, and never merge it or its pseudonym', async (t, url) => {
  const context = await testContext(t, url, { SECRET_KEY });
  const { db } = context;
  const run = async (...args: string[]): Promise<Ran> => await scorehall({ DATABASE_URL: url, SECRET_KEY }, ...args);
  const json = async (...args: string[]): Promise<Printed> => {
    const { status, out, err } = await run(...args, '--json');
    assert.equal(status, 0, err);
    return JSON.parse(out) as Printed;
  };
  const refused = async (...args: string[]): Promise<string> => {
    const { status, err } = await run(...args);
    assert.equal(status, 2, args.join(' '));
    assert.doesNotMatch(err, /unknown|not seen yet/);
    return err;
  };
  await sendEvents(context, login('Alpha', ANN), login('Alpha', BEN), punishment('p', ANN, { reason: 'Spam' }));
  await json('account', 'create', '--name', 'Ben', '--email', 'b@example.org', '--uuid', BEN.uuid);
  const { pseudonym } = await json('player', 'erase', '--player', ANN.uuid, '--yes');

  for (const erased of [ANN.uuid, pseudonym]) {
    for (const [from, into] of [
      [erased, BEN.uuid],
      [BEN.uuid, erased],
    ]) {
      const option = from === erased ? 'from' : 'into';
      const merge = ['player', 'merge', '--from', from, '--into', into];
      assert.match(await refused(...merge, '--yes'), new RegExp(`--${option}: .* never merged`));
      assert.match(await refused(...merge, '--dry-run'), /never merged/);
    }
  }
  // Erased after the question of the command.
  const acting = { ...context, actor: { via: 'command', account_id: null, name: '', address: '' } } as const;
  const late = { from: BEN.uuid, into: ANN.uuid };
  const merged = await db.transaction((tx) =>
    mergePlayers.run({ ...acting, tx }, late, {}, { merged: null, survivor: null }),
  );
  assert.deepEqual(merged, { refused: 'into_erased' });
  assert.deepEqual(await db.tuples(sql`select name from players where uuid = ${BEN.uuid}`), [['Ben']]);

  const shown = await json('player', 'show', '--player', ANN.uuid);
  assert.deepEqual(shown, {
    ...{ uuid: ANN.uuid, erased: true },
    punishments: [{ type: 'ban', state: 0, reason: 'Spam' }],
  });
  for (const command of [['export'], ['erase', '--yes']])
    assert.match(await refused('player', ...command, '--player', ANN.uuid), /was erased/);
  const issue = ['punishment', 'issue', '--player', BEN.uuid, '--type', 'warn', '--reason', 'x'];
  assert.match(await refused(...issue, '--punisher', ANN.uuid), /--punisher: .*was erased/);

  assert.match((await run('audit', '--subject', ANN.uuid)).err, /was erased/);

  const hide = await run('network', 'set', '--hidden', `Ben,${ANN.uuid}`, '--json');
  assert.deepEqual(JSON.parse(hide.out), { hidden: [ANN.uuid, 'Ben'], hidden_erased: [ANN.uuid] });
  assert.match(hide.err, /was erased, and is left out of running matches/);
  await sendEvents(context, progress({ teams: [{ name: 'Red', players: [ANN, CLEO] }] }));
  const [live] = await db.tuples(sql`select teams from live_matches`);
  assert.match(String(live), /Cleo/);
  assert.doesNotMatch(String(live), /Ann|deleted-/);
  assert.deepEqual(await db.all(sql`select 1 from hidden_players where uuid = ${pseudonym}`), []);

  const create = ['account', 'create', '--name', 'Again', '--email', 'a@example.org', '--uuid', ANN.uuid];
  assert.match(await refused(...create), /was erased\. Linking is the return: .*Add --yes/);
  const dry = await json(...create, '--dry-run');
  assert.deepEqual([dry['uuid'], dry['erased']], [ANN.uuid, true]);
  await json('account', 'create', '--name', 'Again', '--email', 'a@example.org');
  const link = ['account', 'link', '--account', 'Again', '--uuid'];
  assert.match(await refused(...link, ANN.uuid), /was erased\. Linking is the return/);
  for (const own of [pseudonym, (await playerByUuid(db, pseudonym))!.name])
    assert.match(await refused(...link, own, '--yes'), /pseudonym of an erased player/);
  assert.equal((await json(...link, ANN.uuid, '--yes'))['uuid'], ANN.uuid);
  const returned = await json('player', 'show', '--player', ANN.uuid);
  assert.deepEqual([returned['name'], returned['punishments'].length], ['Again', 1]);
  assert.match(await refused('player', 'merge', '--yes', '--from', pseudonym, '--into', ANN.uuid), /never merged/);
});

import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { runJobs } from '#events/jobs/runner.ts';
import { keyOf } from '#platform/ids.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { listAudit } from '#store/audit/audit.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { listServerKeys } from '#store/game/server-keys.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { configured, event, login, person, punishment, sendEvents, serverSender } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { scorehall } from './scorehall.ts';

const DAY_MS = 86_400_000;

/** Runs commands on a database: `run` returns the JSON of one that succeeds, `refused` the sentence of one that fails. */
function commandsOn(url: string) {
  const environment = { DATABASE_URL: url, SECRET_KEY: 'a secret that is long enough for tests' };
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of any command
  const run = async (...args: string[]): Promise<any> => {
    const { status, out, err } = await scorehall(environment, ...args, '--json');
    assert.deepEqual([status, err], [0, ''], args.join(' '));
    return JSON.parse(out);
  };
  const refused = async (...args: string[]): Promise<string> => {
    const { status, err } = await scorehall(environment, ...args);
    assert.equal(status, 2, args.join(' '));
    return err;
  };
  return { run, refused };
}

onEachDatabase('commands issue, list, change and revoke punishments', async (t, url) => {
  const context = await testContext(t, url);
  const { run, refused } = commandsOn(url);
  await sendEvents(context, configured('Alpha'), login('Alpha', person(1, 'Rogue')), login('Alpha', person(2, 'Mod')));
  const terms = ['--type', 'ban', '--level', '3', '--reason', 'Griefing', '--expires', '7d'];
  const issued = await run('punishment', 'issue', '--player', 'rogue', ...terms, '--punisher', 'Mod');
  const { id, type, level, reason, punisher, punished, server, state } = issued;
  assert.deepEqual(
    [type, level, reason, punisher, punished, server, state],
    ['ban', 3, 'Griefing', 'Mod', 'Rogue', '', 0],
  );
  assert.ok(Math.abs(Date.parse(issued.expires) - Date.now() - 7 * DAY_MS) < 60_000);

  const [former, present] = [person(3, 'Twin'), person(4, 'Twin')];
  await sendEvents(
    context,
    login('Alpha', former, { time: new Date(context.clock.now() - DAY_MS).toISOString() }),
    login('Alpha', { ...former, name: 'Third' }),
    login('Alpha', present),
  );
  const ambiguous = [
    ['issue', '--player', 'twin', '--type', 'ban'],
    ['issue', '--player', 'Rogue', '--type', 'ban', '--punisher', 'twin'],
    ['revoke', '--player', 'twin', '--reason', 'Appeal'],
    ['revoke', '--punishment', id, '--reason', 'Appeal', '--revoker', 'twin'],
    ['list', '--player', 'twin'],
  ];
  for (const args of ambiguous)
    assert.match(
      await refused('punishment', ...args),
      new RegExp(`--\\w+ has to be the UUID, since .* name "twin": Twin \\(${present.uuid}.*Third \\(${former.uuid}`),
    );
  assert.equal((await run('punishment', 'issue', '--player', present.uuid, '--type', 'kick')).uuid, present.uuid);

  const unknown = ['punishment', 'issue', '--player', person(7).uuid, '--type', 'mute'];
  assert.match(await refused(...unknown), /No player has .* for a new one give the UUID and --name/);
  assert.equal((await run(...unknown, '--name', 'Newcomer')).expires, null);
  assert.match(await refused('punishment', 'issue', '--player', 'Rogue'), /--type is missing/);
  assert.match(await refused('punishment', 'issue', '--player', 'Rogue', '--type', ' \n'), /--type .*control/);
  for (const wrong of ['1y', 'tomorrow', '2026-01-31'])
    assert.match(
      await refused('punishment', 'change', '--punishment', id, '--expires', wrong),
      /--expires must be never/,
    );
  assert.match(await refused('punishment', 'change', '--punishment', id, '--level', '-1'), /--level/);
  assert.match(await refused('punishment', 'change', '--punishment', id), /at least one of --type/);
  assert.match(
    await refused('punishment', 'change', '--punishment', 'none', '--level', '1'),
    /No punishment has the id/,
  );

  const changed = await run('punishment', 'change', '--punishment', id, '--expires', 'never', '--level', '9');
  assert.deepEqual([changed.expires, changed.level, changed.reason], [null, 9, 'Griefing']);
  assert.match(await refused('punishment', 'revoke', '--punishment', id), /--reason is missing/);
  const revoked = await run(
    'punishment',
    'revoke',
    '--punishment',
    id,
    '--reason',
    'Appeal',
    '--revoker',
    'mod',
    '--yes',
  );
  const { reason: why, by, server: where } = revoked.revocation;
  assert.deepEqual([revoked.state, why, by, where], [2, 'Appeal', person(2, 'Mod'), '']);
  const again = await run('punishment', 'revoke', '--punishment', id, '--reason', 'Again', '--yes');
  assert.equal(again.revocation.reason, 'Appeal', 'the first revocation stays in force');
  const history = (await run('punishment', 'show', '--punishment', id)).history as Record<string, unknown>[];
  assert.deepEqual(
    history.map(({ type, by }) => [type, by]),
    ['issued', 'changed', 'revoked', 'revoked'].map((what) => [`punishment.${what}`, userInfo().username]),
  );

  const { out } = await scorehall({ DATABASE_URL: url }, 'punishment', 'show', '--punishment', id);
  assert.match(out, /^history +\{.*punishment\.issued.*\n +\{.*punishment\.changed.*\n +\{.*punishment\.revoked/m);

  const listed = (await run('punishment', 'list')) as { punished: string }[];
  assert.deepEqual(
    listed.map((one) => one.punished),
    ['Newcomer', 'Twin', 'Rogue'],
  );
  assert.equal((await run('punishment', 'list', '--player', 'ROGUE')).length, 1);
  assert.deepEqual(await run('punishment', 'list', '--before', id), []);
  assert.match(await refused('punishment', 'list', '--player', 'Nobody'), /no player has the name/);
  const audit = await listAudit(context.db, { action: 'punishment' }, 9);
  assert.deepEqual(
    audit.map(({ action, label }) => [action, label]),
    [
      ['punishment.revoke', 'Rogue'],
      ['punishment.revoke', 'Rogue'],
      ['punishment.change', 'Rogue'],
      ['punishment.issue', 'Newcomer'],
      ['punishment.issue', 'Twin'],
      ['punishment.issue', 'Rogue'],
    ],
  );
  assert.ok(!JSON.stringify(audit.map(({ detail }) => detail)).includes(person(7).uuid), 'no UUID stays in a detail');
});

onEachDatabase('one command undoes what a key did to punishments', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const { run, refused } = commandsOn(url);
  await sendEvents(context, configured('Alpha'), configured('Beta'));
  const [ban] = await sendEvents(context, punishment('n1', person(1, 'Rogue')));
  const beta = await serverSender(context, 'Beta');
  const key = (await listServerKeys(db, beta.serverKey))[0]!.id;
  await ingestEvents(db, clock, beta, [punishment('old', person(2, 'Guilty'))]);
  clock.advance(60_000);
  const since = new Date(clock.now()).toISOString();
  await ingestEvents(db, clock, beta, [
    punishment('evil', person(3, 'Innocent')),
    event('punishment.revoked', { punishment_id: ban! }),
    event('punishment.changed', { punishment: 'old', level: 9 }),
  ]);
  const changes = (await run('punishment', 'changes', '--key', key)) as Record<string, unknown>[];
  assert.deepEqual(
    changes.map(({ type, server, key: by, punished }) => [type, server, by, punished]),
    [
      ['punishment.changed', 'Beta', key, 'Guilty'],
      ['punishment.revoked', 'Beta', key, 'Rogue'],
      ['punishment.issued', 'Beta', key, 'Innocent'],
      ['punishment.issued', 'Beta', key, 'Guilty'],
    ],
  );
  assert.equal((await run('punishment', 'changes')).length, 5);
  const undo = ['server', 'withdraw', '--name', 'Beta', '--key', key, '--since', since];
  const types = { 'punishment.changed': 1, 'punishment.issued': 1, 'punishment.revoked': 1 };
  assert.deepEqual(await run(...undo, '--dry-run'), { name: 'Beta', events: 3, types, dry_run: true });
  assert.match(await refused(...undo), /withdraws 3 events of Beta.*Add --yes/);
  const shown = async () =>
    ((await run('punishment', 'list')) as Record<string, unknown>[]).map((one) => [
      one['punished'],
      one['state'],
      one['level'],
    ]);
  assert.equal((await shown()).length, 3, 'neither a dry run nor a refusal changes anything');
  assert.equal((await run(...undo, '--yes')).events, 3);
  assert.deepEqual(await shown(), [
    ['Guilty', 0, 0],
    ['Rogue', 0, 0],
  ]);
  assert.match(await refused(...undo, '--yes'), /no event of Beta in force that the key \w+ sent/);
  const [entry, ...others] = await listAudit(db, { action: 'server.withdraw' }, 9);
  assert.deepEqual([entry!.detail['key'], entry!.detail['since'], others.length], [key, since, 0]);

  const [lift] = await sendEvents(context, event('punishment.revoked', { punishment_id: ban! }));
  assert.deepEqual(await run('punishment', 'undo', '--receipt', lift!, '--yes'), {
    undone: lift,
    events: 1,
    cascaded: 0,
  });
  assert.deepEqual((await shown())[1], ['Rogue', 0, 0]);
  assert.match(await refused('punishment', 'undo'), /--receipt is missing/);
  const withdraw = ['server', 'withdraw', '--name', 'Beta'];
  for (const args of [[], ['--key', key, '--match', lift!]])
    assert.match(await refused(...withdraw, ...args), /either --match, or --since, --key or both/);
  assert.match(await refused(...withdraw, '--key', 'x', '--yes'), /--key must be the id of a key/);
  assert.match(await refused(...withdraw, '--key', key, '--since', 'x'), /--since must be a time/);
});

onEachDatabase(
  '`server set --punishments` limits a server to its own punishments, and `account rename` renames',
  async (_t, url) => {
    const { run, refused } = commandsOn(url);
    assert.equal((await run('server', 'create', '--name', 'Alpha', '--region', 'eu')).punishments, 'network');
    assert.equal((await run('server', 'set', '--name', 'Alpha', '--punishments', 'own')).punishments, 'own');
    assert.equal((await run('server', 'set', '--name', 'Alpha', '--max', '9')).punishments, 'own', 'stays');
    assert.match(
      await refused('server', 'set', '--name', 'Alpha', '--punishments', 'all'),
      /must be one of network, own/,
    );

    await run('account', 'create', '--name', 'Rude_Word', '--email', 'ann@example.org', '--verified');
    const rename = ['account', 'rename', '--account', 'Rude_Word', '--name'];
    assert.match(await refused(...rename, 'a b'), /--name must be 3 to 16/);
    assert.match(await refused(...rename, 'RUDE_word'), /has the name/);
    assert.equal((await run(...rename, 'Friendly')).name, 'Friendly');
  },
);

onEachDatabase('commands take the UUID of a deleted player and show no way to the pseudonym', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const { run, refused } = commandsOn(url);
  const rogue = person(1, 'Rogue');
  await sendEvents(context, configured('Alpha'), login('Alpha', rogue));
  const time = new Date(clock.now()).toISOString();
  const [id] = await sendEvents(context, punishment('b1', rogue, { reason: 'Griefing', punisher: person(2, 'Mod') }));
  assert.ok('uuid' in (await erasePlayer(db, clock.now(), rogue.uuid)));
  await runJobs(context);
  const ban = { id: '', punished: '', uuid: rogue.uuid, state: 0, type: 'ban', reason: 'Griefing', punisher: null };
  const members = ({ id, punished, uuid, state, type, reason, punisher }: any) =>
    ({ id, punished, uuid, state, type, reason, punisher }) as typeof ban;
  assert.deepEqual((await run('punishment', 'list', '--player', rogue.uuid)).map(members), [ban]);
  const mute = await run('punishment', 'issue', '--player', rogue.uuid, '--type', 'mute', '--reason', 'Spam');
  assert.deepEqual(members(mute), { ...ban, type: 'mute', reason: 'Spam' });
  assert.match(await refused('punishment', 'show', '--player', rogue.uuid), /Several .*\(mute .*, ban .*--issued TIME/);
  const named = ['--player', rogue.uuid, '--issued', time];
  const changed = await run('punishment', 'change', ...named, '--reason', 'Also spam');
  assert.deepEqual(members(changed), { ...ban, reason: 'Also spam' });
  const question = await refused('punishment', 'revoke', ...named, '--reason', 'Appeal');
  const planned = await run('punishment', 'revoke', ...named, '--reason', 'Appeal', '--dry-run');
  const revoked = await run('punishment', 'revoke', ...named, '--reason', 'Appeal', '--yes');
  assert.deepEqual([revoked.id, revoked.state, revoked.revocation.reason], ['', 2, 'Appeal']);
  assert.equal((await punishmentByKey(db, keyOf(id!)!, clock.now()))!.state, 2);
  await run('punishment', 'revoke', '--player', rogue.uuid, '--reason', 'Appeal', '--yes');
  assert.match(await refused('punishment', 'list', '--player', rogue.uuid), /no player has/, 'none is in force');
  const shown = JSON.stringify([mute, changed, question, planned, revoked]);
  assert.doesNotMatch(shown, /deleted-|Rogue/);
  const audit = JSON.stringify(await listAudit(db, {}, 20));
  assert.ok(!audit.includes(rogue.uuid) && !audit.includes('Rogue'));
});

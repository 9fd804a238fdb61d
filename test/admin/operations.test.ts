import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type AnyOperation, perform } from '#admin/operation.ts';
import { revokeKey } from '#admin/servers.ts';
import { allCommands } from '#cli/dispatch.ts';
import { ROUTES } from '#console/pages.ts';
import { runJobs } from '#events/jobs/runner.ts';
import { changesWithFeed, readFeed } from '#store/game/changes.ts';
import { listServerKeys } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { listAudit } from '#store/audit/audit.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from '#test/console/support.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';
import { rowsOf, tableNames } from '#test/support/database-content.ts';
import { allOperations, EXAMPLES, nameIn } from './all-examples.ts';
import type { Example, Twin } from './examples.ts';

test('every operation has an example, a page and a command', async () => {
  const operations = await allOperations();
  const examples = Map.groupBy(Object.keys(EXAMPLES), nameIn);
  const byName = Map.groupBy(operations, ({ name }) => name);
  assert.deepEqual([...examples.keys()].toSorted(), [...byName.keys()].toSorted());
  for (const [name, own] of byName) assert.ok(examples.get(name)!.length >= own.length, name);
  const onPages = ROUTES.flatMap((route) => route.operations ?? []);
  const byCommands = (await allCommands()).flatMap((command) => command.operations ?? []);
  for (const one of operations)
    assert.deepEqual([onPages.includes(one), byCommands.includes(one)], [true, true], one.name);
});

const takesAway = ({ loss }: AnyOperation) => loss !== 'none';

test('an operation that takes something away asks by each command, and for the password if it is permanent', async () => {
  for (const { words, options = {}, operations = [] } of await allCommands()) {
    if (operations.some(takesAway)) assert.ok('yes' in options && 'dry-run' in options, words);
  }
  for (const { path, reauthenticate, operations = [] } of ROUTES) {
    if (operations.length === 1 && operations[0]!.loss === 'permanent') assert.equal(reauthenticate, 'always', path);
  }
});

const SECRET_KEY = 'a secret that is long enough for tests';
/** Tables that say how often or when something was done, but not what. */
const NOT_COMPARED =
  /^(audit|sequence|rate_limits|revocations|throttles|console_sessions|known_devices|mail_failures|migrations|search_terms|changes)$/;

/** A text without ids, times, random characters and the words of a twin. */
function normalised(text: string, { words }: Twin): string {
  const named = Object.entries(words).reduce(
    (rest, [word, replacement]) => rest.replaceAll(word, replacement).replaceAll(word.toLowerCase(), replacement),
    text,
  );
  return named
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '#')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '#')
    .replace(/[\w+/=-]{22,}/g, '#')
    .replace(/("kind":"anonymisation".*"done":)\d+/, '$1#')
    .replace(/\b38[0-9a-z]{9}\b|\bevent-\d+|\bdeleted-[0-9a-z]{6}\b/g, '#')
    .replace(/\b\d{10,}\b/g, '#');
}

onEachDatabase('an operation leaves the same entry and rows by page, by command and by file', async (t, url) => {
  const services = await openTestConsole(t, url, { SECRET_KEY });
  const { context } = services;
  const { db } = context;
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-operations-'));
  t.after(() => rm(folder, { recursive: true }));
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  await olga.open('/console/operator/servers');
  const form_token = tokenOn(olga.page.html);
  await olga.open('/console/operator/audit');
  for (const { name } of await allOperations())
    assert.ok(olga.page.html.includes(`<option value="${name.split('.', 1)[0]}"`), `the audit log filters by ${name}`);
  const entries = async () => await listAudit(db, {}, 1_000);
  const tables = (await tableNames(db)).filter((name) => !NOT_COMPARED.test(name));

  const ran = async (...args: string[]): Promise<void> => {
    const { status, err } = await scorehall({ DATABASE_URL: url, SECRET_KEY }, ...args);
    assert.equal(status, 0, `${args.join(' ')}: ${err}`);
  };
  const assertUnconfirmed = async (args: string[]): Promise<void> => {
    const [rows, known] = [await rowsOf(db, tables), await entries()];
    await ran(...args, '--dry-run');
    // Its statements are those of the dry run.
    if (!db.remote)
      assert.equal((await scorehall({ DATABASE_URL: url, SECRET_KEY }, ...args)).status, 2, `${args.join(' ')} asks`);
    assert.deepEqual([await rowsOf(db, tables), await entries()], [rows, known], `${args.join(' ')} changed something`);
  };
  const losing = new Set((await allOperations()).filter(takesAway).map(({ name }) => name));
  const WAYS: Record<string, (example: Example, twin: Twin, takesAway: boolean) => Promise<void>> = {
    Page: async (example, twin, takesAway) => {
      const [path, form] = example.page(twin);
      if (takesAway && example.asksByForm !== true) {
        const [rows, known] = [await rowsOf(db, tables), await entries()];
        const asked = await olga.post(`/console${path}`, { ...form, form_token });
        assert.match(asked.html, /name="confirmed" value="yes"/, `${path} asks`);
        assert.deepEqual([await rowsOf(db, tables), await entries()], [rows, known], `${path} changed something`);
      }
      const { status, url: shown } = await olga.post(`/console${path}`, { ...form, confirmed: 'yes', form_token });
      assert.deepEqual([status, new URL(shown).origin], [200, services.site], `${path} ${olga.text}`);
    },
    Command: async (example, twin, takesAway) => {
      const args = await example.command(twin, folder);
      assert.ok(!takesAway || args.includes('--yes'), `${args.join(' ')} takes something away`);
      if (args.includes('--yes')) await assertUnconfirmed(args.filter((arg) => arg !== '--yes'));
      await ran(...args);
    },
    File: async (example, twin) => {
      const path = join(folder, 'network.yml');
      await writeFile(path, JSON.stringify(await example.file!(twin, folder)));
      await ran('apply', path, '--yes');
    },
  };

  const operations = Map.groupBy(await allOperations(), ({ name }) => name);
  let number = 100;
  for (const [name, example] of Object.entries(EXAMPLES)) {
    number++;
    const left = [];
    for (const [way, act] of Object.entries(WAYS)) {
      if (way === 'File' && example.file === undefined) continue;
      const twin = await example.prepare(context, `${way}${number}`);
      const [before, known] = [await rowsOf(db, tables), new Set((await entries()).map(({ id }) => id))];
      const { head } = await readFeed(db);
      await act(example, twin, losing.has(nameIn(name)));
      await runJobs(context);
      const declared = operations.get(nameIn(name))!.flatMap(({ changes }) => changes);
      const undeclared = (await changesWithFeed(db, head, 1_000)).changes.filter(
        ({ kind }) => !declared.includes(kind),
      );
      assert.deepEqual(undeclared, [], name);
      const after = await rowsOf(db, tables);
      const added = (await entries()).filter(({ id }) => !known.has(id));
      const acts = added.map(({ action, subject, label, outcome, detail }) => ({
        action,
        subject,
        label,
        outcome,
        detail,
      }));
      const [gone, come] = [new Set(before).difference(new Set(after)), new Set(after).difference(new Set(before))];
      left.push({
        entries: acts.map((entry) => normalised(JSON.stringify(entry), twin)),
        rows: [...gone]
          .map((row) => `- ${row}`)
          .concat([...come].map((row) => `+ ${row}`))
          .map((row) => normalised(row, twin))
          .toSorted(),
      });
    }
    assert.equal(left[0]!.entries.length, 1, `${name}: ${JSON.stringify(left[0]!.entries)}`);
    assert.ok(left[0]!.entries[0]!.includes(`"action":"${nameIn(name)}"`), name);
    for (const other of left.slice(1)) assert.deepEqual(other, left[0], name);
  }
});

onEachDatabase('revoking a key that is not valid is refused, and leaves no entry', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  const run = async (...args: string[]) => await scorehall({ DATABASE_URL: url, SECRET_KEY }, 'server', ...args);
  assert.equal((await run('create', '--name', 'Alpha', '--region', 'eu')).status, 0);
  const { status, err } = await run('key', 'revoke', '--name', 'Alpha', '--key', '00000000001', '--yes');
  assert.deepEqual(
    [status, err],
    [2, 'scorehall: Alpha has no valid key 00000000001; see: scorehall server key list\n'],
  );
  const actions = (await listAudit(db, {}, 10)).map(({ action }) => action);
  assert.deepEqual(actions, ['server.create']);

  const alpha = (await serverByName(db, 'Alpha'))!;
  const [{ id } = { id: '' }] = await listServerKeys(db, alpha.key);
  const acting = { ...context, actor: { via: 'command', account_id: null, name: '', address: '' } } as const;
  const revoke = () => perform(revokeKey, acting, alpha, { key: id });
  const outcomes = await Promise.all([revoke(), revoke()]);
  assert.deepEqual(new Set(outcomes.map((outcome) => Object.keys(outcome)[0])), new Set(['done', 'refused']));
  assert.equal((await listAudit(db, { action: 'server.key.revoke' }, 10)).length, 1);
});

import assert from 'node:assert/strict';
import { PGM_COUNTERS } from '#events/schema/counter-presets.ts';
import { listAudit } from '#store/audit/audit.ts';
import { testContext, onEachDatabase } from '#test/support/context.ts';
import { scorehall } from './scorehall.ts';

onEachDatabase('commands declare, change, list and delete counters', async (t, url) => {
  const { db } = await testContext(t, url);
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of any command
  const run = async (...args: string[]): Promise<any> => {
    const { status, out, err } = await scorehall({ DATABASE_URL: url }, 'counter', ...args, '--json');
    assert.deepEqual([status, err], [0, ''], args.join(' '));
    return JSON.parse(out);
  };
  const refused = async (...args: string[]): Promise<string> => {
    const { status, err } = await scorehall({ DATABASE_URL: url }, 'counter', ...args);
    assert.equal(status, 2, args.join(' '));
    return err;
  };
  const facts = [
    '--label',
    'Ducks fed',
    '--label-ja',
    'アヒル',
    '--aggregate',
    'max',
    '--modes',
    'ctw, cp',
    '--most',
    '9',
  ];
  assert.deepEqual(await run('set', '--key', 'ducks', ...facts, '--order', '-1'), {
    ...{ key: 'ducks', label: 'Ducks fed', label_ja: 'アヒル', aggregate: 'max', modes: 'cp,ctw' },
    ...{ most: 9, order: -1, state: 'counted' },
  });
  const changed = await run('set', '--key', 'ducks', '--label', 'Ducks', '--modes', 'all');
  assert.deepEqual(
    [changed.label, changed.label_ja, changed.aggregate, changed.modes],
    ['Ducks', 'アヒル', 'max', 'all'],
  );
  assert.match(await refused('set', '--key', 'geese'), /--label is missing/);
  assert.match(await refused('set', '--key', 'Geese', '--label', 'x'), /--key must begin with a small letter/);
  assert.match(
    await refused('set', '--key', 'geese', '--label', 'x', '--modes', 'polo'),
    /--modes must be one of .*ctw/,
  );
  assert.match(
    await refused('set', '--key', 'geese', '--label', 'x', '--most', 'many'),
    /--most must be a whole number/,
  );
  assert.match(
    await refused('set', '--key', 'geese', '--label', 'x', '--aggregate', 'avg'),
    /--aggregate must be one of/,
  );
  assert.match(await refused('presets', '--only', 'geese'), /geese is no preset.*assists/);
  assert.deepEqual(await run('presets', '--only', 'wools,flags'), { keys: 'wools, flags' });
  const rest = PGM_COUNTERS.map(({ key }) => key).filter((key) => key !== 'wools' && key !== 'flags');
  assert.deepEqual(await run('presets'), { keys: rest.join(', ') });
  assert.deepEqual(await run('presets'), { keys: '' });
  assert.equal((await run('list')).length, PGM_COUNTERS.length + 1);
  assert.deepEqual(await run('delete', '--key', 'ducks', '--yes'), { key: 'ducks', deleted: true });
  assert.match(await refused('delete', '--key', 'ducks', '--yes'), /no counter ducks/);
  assert.equal((await run('list')).length, PGM_COUNTERS.length);
  const actions = (await listAudit(db, { action: 'counter' }, 20)).map(({ action, subject }) => `${action} ${subject}`);
  assert.equal(actions[0], 'counter.delete ducks');
  assert.equal(actions.at(-1), 'counter.set ducks');
});

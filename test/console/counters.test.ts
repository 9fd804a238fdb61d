import assert from 'node:assert/strict';
import { PGM_COUNTERS } from '#events/schema/counter-presets.ts';
import { counterByKey, listCounters } from '#store/game/counters/counters.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { enter, makeOperator, openTestConsole, tokenOn } from './support.ts';

const AT = '/console/operator/counters';

onEachDatabase('an operator adds, changes and removes counters, and switches those of PGM on', async (t, url) => {
  const services = await openTestConsole(t, url);
  const { db } = services.context;
  await makeOperator(services, 'Olga');
  const { console: olga } = await enter(services, 'Olga');
  const act = async (path: string, fields: Record<string, string>, page = AT): Promise<void> => {
    await olga.open(page);
    await olga.post(path, { form_token: tokenOn(olga.page.html), ...fields });
  };
  await olga.open(AT);
  assert.match(olga.text, /No counters yet.*PGM's usual counters.*Best kill streak.*Switch on all/s);
  const ducks = { key: 'ducks', label: 'Ducks <fed>', label_ja: '', aggregate: 'max', most: '9', order: '3' };
  await act(AT, { ...ducks, mode_ctw: '1', mode_cp: '1' });
  const added = (await counterByKey(db, 'ducks'))!;
  assert.deepEqual(
    [added.label, added.aggregate, added.modes, added.most, added.order],
    [{ en: 'Ducks <fed>', ja: '' }, 'max', ['cp', 'ctw'], 9, 3],
  );
  assert.match(olga.text, /Ducks <fed>.*ducks.*Largest value.*Control points, Capture the Wool/s);
  await act(AT, ducks);
  assert.match(olga.text, /There is already a counter ducks/);
  await act(AT, { ...ducks, key: 'Geese' });
  assert.match(olga.text, /must begin with a small letter/);
  await act(AT, { ...ducks, key: 'geese', most: 'x' });
  assert.match(olga.text, /Enter a whole number/);

  await act(`${AT}/ducks`, { ...ducks, label: 'Ducks', aggregate: 'sum' }, `${AT}/ducks`);
  const changed = (await counterByKey(db, 'ducks'))!;
  assert.deepEqual([changed.label.en, changed.aggregate, changed.modes], ['Ducks', 'sum', []]);
  await act('/console/operator/counter-presets', { key: 'wools' });
  assert.ok(await counterByKey(db, 'wools'));
  await act('/console/operator/counter-presets', {});
  assert.equal((await listCounters(db)).length, PGM_COUNTERS.length + 1);
  await olga.open(AT);
  assert.doesNotMatch(olga.text, /Switch all on/);
  await act(`${AT}/ducks/delete`, { confirmed: 'yes' }, `${AT}/ducks`);
  assert.equal(await counterByKey(db, 'ducks'), undefined);
  assert.equal((await olga.open(`${AT}/ducks`)).status, 404);
});

import { event, sendEvents } from '#test/support/builders.ts';
import type { Example, Twin } from './examples.ts';

const undeclared: Example['prepare'] = async (_, name) => ({ name, words: { [name]: 'NAME' } });

const keyFor = ({ name }: Twin): string => name.toLowerCase();

const set: Example = {
  prepare: undeclared,
  page: (twin) => [
    '/operator/counters',
    {
      ...{ key: keyFor(twin), label: twin.name, label_ja: '数', aggregate: 'max', mode_ctw: '1' },
      ...{ most: '50', order: '3' },
    },
  ],
  command: (twin) => [
    ...['counter', 'set', '--key', keyFor(twin), '--label', twin.name, '--label-ja', '数', '--aggregate', 'max'],
    ...['--modes', 'ctw', '--most', '50', '--order', '3'],
  ],
};

const remove: Example = {
  prepare: async (context, name) => {
    const twin = await undeclared(context, name);
    await sendEvents(context, event('counter.declared', { key: keyFor(twin), label: { en: name } }));
    return twin;
  },
  page: (twin) => [`/operator/counters/${keyFor(twin)}/delete`, {}],
  command: (twin) => ['counter', 'delete', '--key', keyFor(twin), '--yes'],
};

export const COUNTER_EXAMPLES = { 'counter.set': set, 'counter.delete': remove };

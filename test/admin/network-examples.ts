import { sql } from '#db/sql.ts';
import type { Example } from './examples.ts';

const set: Example = {
  prepare: async ({ db }, name) => {
    await db.run(sql`delete from hidden_players where scope_key = 0`);
    return { name, words: { [name]: 'NAME' } };
  },
  page: ({ name }) => ['/operator/network', { hidden: `${name}\r\nAda\r\n` }],
  command: ({ name }) => ['network', 'set', '--hidden', `Ada, ${name}`],
  file: ({ name }) => ({ network: { hidden: [name, 'Ada'] } }),
};

export const NETWORK_EXAMPLES = { 'network.set': set };

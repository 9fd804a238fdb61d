import { keyOf } from '#platform/ids.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { event, person, punishment, sendEvents } from '#test/support/builders.ts';
import type { TestAppContext } from '#test/support/context.ts';
import type { Example, Twin } from './examples.ts';

interface PunishedTwin extends Twin {
  uuid: string;
}

interface PunishmentTwin extends PunishedTwin {
  id: string;
}

let players = 5_000;

async function player(context: TestAppContext, name: string): Promise<PunishedTwin> {
  const { uuid } = person(++players);
  await sendEvents(context, event('player.named', { player: { uuid, name } }));
  return { name, uuid, words: { [name]: 'NAME' } };
}

async function issued(context: TestAppContext, name: string): Promise<PunishmentTwin> {
  const { uuid, words } = await player(context, name);
  const [id] = (await sendEvents(context, punishment(`of ${name}`, { uuid, name }))) as [string];
  return { name, uuid, id, words: { ...words, [id]: 'ID' } };
}

const at = ({ id }: PunishmentTwin, path = ''): string => `/operator/punishments/${id}${path}`;
const TERMS = { type: 'mute', level: '3', reason: 'Spam', expires: '2099-01-01T00:00:00.000Z' };
const TERM_OPTIONS = Object.entries(TERMS).flatMap(([name, value]) => [`--${name}`, value]);

const issue: Example<PunishedTwin> = {
  prepare: player,
  page: ({ uuid }) => ['/operator/punishments/new', { player: uuid, name: '', ...TERMS }],
  command: ({ uuid }) => ['punishment', 'issue', '--player', uuid, ...TERM_OPTIONS],
};

const change: Example<PunishmentTwin & { changed: number }> = {
  prepare: async (context, name) => {
    const twin = await issued(context, name);
    const { changed } = (await punishmentByKey(context.db, keyOf(twin.id)!, 0))!;
    return { ...twin, changed };
  },
  page: (twin) => [at(twin, '/change'), { ...TERMS, version: `${twin.changed}  ${twin.uuid}` }],
  command: ({ id }) => ['punishment', 'change', '--punishment', id, ...TERM_OPTIONS],
};

const revoke: Example<PunishmentTwin> = {
  asksByForm: true,
  prepare: issued,
  page: (twin) => [at(twin), { reason: 'A mistake' }],
  command: ({ id }) => ['punishment', 'revoke', '--punishment', id, '--reason', 'A mistake', '--yes'],
};

const undo: Example<PunishmentTwin & { receipt: string }> = {
  prepare: async (context, name) => {
    const twin = await issued(context, name);
    const changed = event('punishment.changed', { punishment_id: twin.id, level: 5 });
    const [receipt] = (await sendEvents(context, changed)) as [string];
    return { ...twin, receipt, words: { ...twin.words, [receipt]: 'RECEIPT' } };
  },
  page: (twin) => [at(twin, '/undo'), { receipt: twin.receipt }],
  command: ({ receipt }) => ['punishment', 'undo', '--receipt', receipt, '--yes'],
};

export const PUNISHMENT_EXAMPLES = {
  'punishment.issue': issue,
  'punishment.change': change,
  'punishment.revoke': revoke,
  'punishment.undo': undo,
};

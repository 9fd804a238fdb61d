import { event, person, sendEvents } from '#test/support/builders.ts';
import type { TestAppContext } from '#test/support/context.ts';
import { uuidLabel } from '#text/text.ts';
import type { Example, Twin } from './examples.ts';

interface PlayerTwin extends Twin {
  uuid: string;
}

let players = 6_000;

async function player(context: TestAppContext, name: string): Promise<PlayerTwin> {
  const { uuid } = person(++players);
  await sendEvents(context, event('player.named', { player: { uuid, name } }));
  return { name, uuid, words: { [uuid]: 'UUID', [name]: 'NAME' } };
}

const merge: Example<PlayerTwin & { into: string }> = {
  asksByForm: true,
  prepare: async (context, name) => {
    const from = await player(context, name);
    const { uuid: into } = await player(context, `${name}x`);
    return { ...from, into, words: { ...from.words, [into]: 'INTO' } };
  },
  page: ({ uuid, into }) => ['/operator/players/merge', { from: uuid, into }],
  command: ({ uuid, into }) => ['player', 'merge', '--from', uuid, '--into', into, '--yes'],
};

const erase: Example<PlayerTwin> = {
  asksByForm: true,
  prepare: player,
  page: ({ uuid, name }) => [`/operator/players/${uuid}/erase`, { name }],
  command: ({ uuid }) => ['player', 'erase', '--player', uuid, '--yes'],
};

const removeName: Example<PlayerTwin> = {
  asksByForm: true,
  prepare: async (context, name) => {
    const { uuid, words } = await player(context, `${name}old`);
    const [named, time] = [{ uuid, name }, new Date(context.clock.now() + 1).toISOString()];
    await sendEvents(context, event('player.named', { player: named }, { time }));
    return { name, uuid, words: { ...words, [name]: 'NAME', [uuidLabel(uuid)]: 'LABEL' } };
  },
  page: ({ uuid, name }) => [`/operator/players/${uuid}/name`, { name: `${name}old` }],
  command: ({ uuid, name }) => ['player', 'remove-name', '--player', uuid, '--name', `${name}old`, '--yes'],
};

export const PLAYER_EXAMPLES = { 'player.merge': merge, 'player.erase': erase, 'player.name.remove': removeName };

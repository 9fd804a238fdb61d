import { z } from 'zod';
import { idOf, keyOf } from '#platform/ids.ts';
import { notFound } from '#http/errors.ts';
import { listPunishments, listPunishmentsOf, type Punishment, punishmentByKey } from '#store/game/punishments.ts';
import { type Ask, type Endpoint, endpoint, type Kit, paging } from './endpoint.ts';
import { demandPlayer } from './players.ts';
import { count, id, link, moment, person } from './schemas.ts';

const PunishmentShape = z
  .object({
    id,
    punisher: person.nullable(),
    punished: person,
    state: z.union([z.literal(0), z.literal(1), z.literal(2)]).meta({ description: '0 active, 1 expired, 2 revoked' }),
    reason: z.string(),
    level: count.meta({ description: "The network's severity step" }),
    time: moment,
    type: z.string().meta({ description: 'ban, mute, kick, warn, or a word of the network' }),
    server: z.string(),
    automatic: z.boolean(),
    permalink_url: link,
  })
  .meta({ id: 'Punishment' });

export const punishments: Endpoint[] = [
  endpoint({
    path: '/v1/punishments',
    tag: 'Punishment',
    summary: 'Punishments, the newest first',
    query: paging,
    answer: z.array(PunishmentShape),
    handle: async ({ kit, query: { max_id, limit } }) =>
      (await listPunishments(kit.db, max_id, limit, kit.clock.now())).map((item) => wire(kit, item)),
  }),
  endpoint({
    path: '/v1/punishments/:id',
    tag: 'Punishment',
    summary: 'One punishment',
    id: 'A punishment id',
    query: {},
    answer: PunishmentShape,
    handle: async ({ kit, id: text }) => {
      const key = keyOf(text);
      const punishment = key === undefined ? undefined : await punishmentByKey(kit.db, key, kit.clock.now());
      if (punishment === undefined) throw notFound('There is no punishment with this id.');
      return wire(kit, punishment);
    },
  }),
  endpoint({
    path: '/v1/players/:id/punishments',
    tag: 'Punishment',
    summary: "A player's punishments, the newest first",
    id: 'A UUID, a player name, a player id, or `me`',
    query: paging,
    answer: z.array(PunishmentShape),
    handle: async (ask) => {
      const { kit, query } = ask;
      const { key } = await demandPlayer(ask as Ask);
      return (await listPunishmentsOf(kit.db, key, query.max_id, query.limit, kit.clock.now())).map((item) =>
        wire(kit, item),
      );
    },
  }),
];

function wire({ moment: write, site }: Kit, punishment: Punishment): z.input<typeof PunishmentShape> {
  const { punisher, punished, reason, level, time, type, server, automatic } = punishment;
  const punishmentId = idOf(punishment.key);
  return {
    ...{ id: punishmentId, punisher, punished, state: punishment.state as 0 | 1 | 2, reason, level, time: write(time) },
    ...{ type, server, automatic, permalink_url: `${site}/punishments/${punishmentId}` },
  };
}

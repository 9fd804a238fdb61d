import { z } from 'zod';
import { idOf, keyOf } from '#platform/ids.ts';
import { notFound } from '#http/errors.ts';
import {
  listPunishments,
  listPunishmentsOf,
  type Punishment,
  punishmentByKey,
  punishmentsByKeys,
} from '#store/game/punishments.ts';
import { type Endpoint, endpoint, fieldsOf, type Deps, paging } from './endpoint.ts';
import { findDeleted, type PlayerRequest } from './deleted-players.ts';
import { findRequested, unknownPlayer } from './players.ts';
import { count, id, linkOrEmpty, timestamp, person } from './schemas.ts';

/** Members on request, through `fields`. */
const Extra = {
  expires: timestamp.nullable().meta({ description: 'When it expires; null for never' }),
  revocation: z
    .object({
      time: timestamp,
      reason: z.string(),
      by: person.nullable().meta({ description: 'The player who revoked it, if the sender named one' }),
      server: z.string().meta({ description: "The server that revoked it; empty for the network's staff" }),
    })
    .nullable()
    .meta({ description: 'Null unless revoked' }),
  appeal: z.string().meta({
    description:
      'Where the punished person objects: a web address, an e-mail address or a text; empty if the network has none',
  }),
};
const fields = fieldsOf(Object.keys(Extra) as [keyof typeof Extra, ...(keyof typeof Extra)[]]);
type Fields = z.output<typeof fields>;

export const PunishmentShape = z
  .object({
    id,
    punisher: person.nullable(),
    punished: person,
    state: z.literal([0, 1, 2]).meta({ description: '0 active, 1 expired, 2 revoked' }),
    reason: z.string(),
    level: count.meta({ description: "Severity on the network's own scale" }),
    time: timestamp,
    type: z.string().meta({ description: "ban, mute, kick, warn, or a type of the network's own" }),
    server: z.string(),
    automatic: z.boolean(),
    permalink_url: linkOrEmpty,
    ...z.object(Extra).partial().shape,
  })
  .meta({ id: 'Punishment' });

export const punishments: Endpoint[] = [
  endpoint({
    path: '/v1/punishments',
    tag: 'Punishment',
    summary: 'Punishments, newest first',
    query: { ...paging, fields },
    response: z.array(PunishmentShape),
    handle: async ({ deps, query }) =>
      (await listPunishments(deps.db, query.max_id, query.limit, deps.clock.now())).map((item) =>
        wire(deps, item, query.fields),
      ),
  }),
  endpoint({
    path: '/v1/punishments/:id',
    tag: 'Punishment',
    summary: 'One punishment',
    id: 'A punishment id',
    query: { fields },
    response: PunishmentShape,
    handle: async ({ deps, id: text, query }) => {
      const key = keyOf(text);
      const punishment = key === undefined ? undefined : await punishmentByKey(deps.db, key, deps.clock.now());
      if (punishment === undefined) throw notFound('There is no punishment with this id.');
      return wire(deps, punishment, query.fields);
    },
  }),
  endpoint({
    path: '/v1/players/:id/punishments',
    tag: 'Punishment',
    summary: "A player's punishments, newest first",
    id: 'A UUID, a player name, a player id, or `me`',
    query: { ...paging, fields },
    response: z.array(PunishmentShape),
    handle: async (endpointContext) => {
      const { deps, query } = endpointContext;
      const player = await findRequested(endpointContext);
      if (player === undefined) return await deletedWire(endpointContext, query);
      return (await listPunishmentsOf(deps.db, player.key, query.max_id, query.limit, deps.clock.now())).map((item) =>
        wire(deps, item, query.fields),
      );
    },
  }),
];

/** Punishments as JSON, as `/v1/punishments/:id` gives them, by key. */
export async function punishmentsJson(deps: Deps, keys: readonly number[]): Promise<Map<number, string>> {
  const found = await punishmentsByKeys(deps.db, keys, deps.clock.now());
  return new Map(found.map((each) => [each.key, JSON.stringify(wire(deps, each, new Set()))]));
}

/** The punishments in force of a deleted player, on one page, because an item has no id to page by. */
async function deletedWire(
  request: PlayerRequest,
  { max_id, limit, fields: requested }: { max_id: number; limit: number; fields: Fields },
): Promise<z.input<typeof PunishmentShape>[]> {
  const deleted = await findDeleted(request);
  if (deleted === undefined) throw unknownPlayer();
  const items = max_id < Number.MAX_SAFE_INTEGER ? [] : deleted.punishments.slice(0, limit);
  return items.map((item) => ({ ...wire(request.deps, item, requested), id: '', permalink_url: '' }));
}

function wire(
  { timestamp: write, site, appeal }: Deps,
  punishment: Punishment,
  requested: Fields,
): z.input<typeof PunishmentShape> {
  const { punisher, punished, reason, level, time, type, server, automatic, expires, revocation } = punishment;
  const punishmentId = idOf(punishment.key);
  return {
    ...{ id: punishmentId, punisher, punished, state: punishment.state as 0 | 1 | 2 },
    ...{ reason, level, time: write(time), type, server, automatic },
    permalink_url: `${site}/punishments/${punishmentId}`,
    ...(requested.has('expires') && { expires: expires === null ? null : write(expires) }),
    ...(requested.has('revocation') && {
      revocation: revocation === null ? null : { ...revocation, time: write(revocation.time) },
    }),
    ...(requested.has('appeal') && { appeal }),
  };
}

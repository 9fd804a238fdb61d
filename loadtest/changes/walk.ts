import { differences } from '../model/differences.ts';
import type { ApiClient } from '../model/read-network.ts';
import { type Kind, KINDS, type MirrorDisk } from './mirror-disk.ts';

/** The oracle: reads everything public through `/v1` without the feed, and compares mirrors with it. */

type Json = Record<string, unknown>;

/** The resources of each kind by id. */
export type Walked = Record<Kind, Map<string, unknown>>;

const PARALLEL = 8;
/** Of a resource in a report. */
const MAX_TEXT = 1_000;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** The name of an erased player, who is in matches, but no resource of the feed. */
const PSEUDONYM = /^deleted-[0-9a-z]{6}$/;

/** @param uuids the players that game servers named; those in matches and punishments are added */
export async function walk(api: ApiClient, uuids: readonly string[]): Promise<Walked> {
  const ids = async (path: string): Promise<string[]> => (await api.list<Json>(path)).map(({ id }) => id as string);
  const [match, map, punishment] = [
    await read(api, '/v1/matches', await ids('/v1/matches')),
    await read(api, '/v1/maps', await ids('/v1/maps')),
    await read(api, '/v1/punishments', await ids('/v1/punishments')),
  ];
  const servers = (await api.get<Json[]>('/v1/servers'))!;
  const server = await read(
    api,
    '/v1/servers',
    servers.map(({ id }) => id as string),
  );
  const others = JSON.stringify([...match.values(), ...punishment.values()]).match(UUID) ?? [];
  // The UUID of a merged player gives the survivor.
  const found = (await read(api, '/v1/players', [...new Set([...uuids, ...others])])).values() as Iterable<Json>;
  const players = [...found].filter(({ name }) => !PSEUDONYM.test(name as string));
  const player = new Map(players.map((one) => [one['id'] as string, one as unknown]));
  return { match, map, punishment, player, server };
}

async function read(api: ApiClient, path: string, ids: readonly string[]): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  const left = ids.values();
  const worker = async (): Promise<void> => {
    for (const id of left) {
      const resource = await api.get<Json>(`${path}/${id}`);
      if (resource !== undefined) found.set(id, resource);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return found;
}

/** What the feed follows of each kind: no statistics, votes, rotations, sessions and presence. */
const COMPARED: Record<Kind, (resource: Json) => Json> = {
  match: (match) => match,
  map: ({ rates: _, rotations: __, servers: ___, ...map }) => map,
  // 1 follows from the time that passes.
  punishment: ({ state, ...punishment }) => ({ ...punishment, isRevoked: state === 2 }),
  player: ({ id, name, uuid, permalink_url }) => ({ id, name, uuid, permalink_url }),
  server: ({ id, name, region, max, icon, order }) => ({ id, name, region, max, icon, order }),
};

/** @returns one sentence per difference */
export function differencesOf(walked: Walked, disk: MirrorDisk, kinds: readonly Kind[]): string[] {
  return kinds.flatMap((kind) => differences(compared(kind, walked[kind]), compared(kind, disk.resources(kind)), kind));
}

function compared(kind: Kind, resources: ReadonlyMap<string, unknown>): Map<string, unknown> {
  return new Map([...resources].map(([id, one]) => [id, one === null ? null : COMPARED[kind](one as Json)]));
}

/** The ids of players who are private, of whom a mirror has the last login. */
export function sessionsIn({ player }: Walked, disk: MirrorDisk, hidden: readonly string[]): string[] {
  const mirrored = disk.resources('player') as Map<string, Json | null>;
  return [...player].flatMap(([id, one]) => {
    const { uuid, last_login } = one as Json;
    const isPrivate = hidden.includes(uuid as string) && last_login === '';
    return isPrivate && (mirrored.get(id)?.['last_login'] ?? '') !== '' ? id : [];
  });
}

/** The resources of a mirror that have one of the texts, in any member. */
export function textsIn(disk: MirrorDisk, texts: readonly string[]): string[] {
  return disk
    .contents()
    .flatMap((resource) =>
      texts
        .filter((text) => asWord(text).test(resource.text))
        .map(
          (text) => `its ${resource.kind} ${resource.id} has the erased ${text}: ${resource.text.slice(0, MAX_TEXT)}`,
        ),
    );
}

/** The resources that name erased players, except heartbeats: a game server names whom it sees. */
export function namesIn(walked: Walked, erased: readonly string[]): string[] {
  return KINDS.flatMap((kind) =>
    [...walked[kind]].flatMap(([id, resource]) => {
      const text = JSON.stringify(COMPARED[kind](resource as Json));
      return erased
        .filter((name) => asWord(name).test(text))
        .map((name) => `/v1: ${kind} ${id} has the erased ${name}`);
    }),
  );
}

/** Player7 is not in Player71. */
const asWord = (text: string): RegExp => new RegExp(`(?<![0-9A-Za-z])${text}(?![0-9A-Za-z])`);

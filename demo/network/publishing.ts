import { MINUTE } from './calendar.ts';
import { PGM_COUNTERS } from '#events/schema/counter-presets.ts';
import { pictureOf, type SampleMap } from './maps.ts';
import { timestampOf } from './match/match.ts';
import { OWN_COUNTERS } from './match/own-counters.ts';
import type { Timed } from './event-queue.ts';
import { Random } from './random.ts';
import { rotationOf } from './schedule.ts';
import type { GeneratedHistory } from './history.ts';
import { SERVERS, type Server } from './servers.ts';

/** The servers, the first versions of the maps and the rotations, before the first match. */
export function openingEvents(history: GeneratedHistory, opening: number): Timed[] {
  const { maps } = history.network;
  return [
    ...SERVERS.map((server, place) => configured(server, opening + place * 1000)),
    ...PGM_COUNTERS.filter(({ key }) => OWN_COUNTERS.includes(key)).map((data) => declared(data, opening)),
    ...maps.map((map, place) => published(map, 0, opening + MINUTE + place * 1000)),
    ...SERVERS.flatMap((server, place) =>
      rotation(server, rotationOf(server, maps), opening + 5 * MINUTE + place * 1000),
    ),
  ];
}

/** The map versions that were published during the history. */
export function newVersions(history: GeneratedHistory): Timed[] {
  return history.network.maps.flatMap((map) =>
    releases(history, map)
      .slice(1)
      .map((time, place) => published(map, place + 1, time)),
  );
}

/** The version of a map that is played at a time. */
export function versionAt(history: GeneratedHistory, map: SampleMap, time: number): string {
  const released = releases(history, map).filter((release) => release <= time).length;
  return map.versions[Math.max(0, released - 1)]!;
}

/** The time of each version; the first one is older than the history. */
function releases(history: GeneratedHistory, map: SampleMap): number[] {
  const random = new Random(history.network.seed, 'releases', map.name);
  const span = 0.9 / map.versions.length;
  return map.versions.map((_, place) => (place === 0 ? -Infinity : history.at(place * span + random.next() * span)));
}

function configured(server: Server, time: number): Timed {
  const { name, region, order, max, icon } = server;
  return {
    time,
    event: {
      version: 1,
      id: `server-${name}`,
      type: 'server.configured',
      time: timestampOf(time),
      server: name,
      data: { region, order, max, icon },
    },
  };
}

function declared(data: (typeof PGM_COUNTERS)[number], time: number): Timed {
  const event = {
    version: 1,
    id: `counter-${data.key}`,
    type: 'counter.declared',
    time: timestampOf(time),
    data,
  } as const;
  return { time, event };
}

function published(map: SampleMap, place: number, time: number): Timed {
  const { name, proto, objective, type, path, max } = map;
  return {
    time,
    event: {
      version: 1,
      id: `map-${name}-${map.versions[place]}`,
      type: 'map.published',
      time: timestampOf(time),
      data: {
        name,
        version: map.versions[place]!,
        proto,
        objective,
        authors: [...map.authors],
        teams: map.teams.map((team) => ({ ...team, max })),
        gamemodes: [...map.gamemodes],
        type,
        path,
        // Later versions keep the image of the first.
        ...(place === 0 && {
          image: { content_type: 'image/png', data: pictureOf(map).toString('base64') },
        }),
      },
    },
  };
}

function rotation(server: Server, maps: readonly SampleMap[], time: number): Timed[] {
  if (maps.length === 0) return [];
  return [
    {
      time,
      event: {
        version: 1,
        id: `rotation-${server.name}`,
        type: 'rotation.changed',
        time: timestampOf(time),
        server: server.name,
        data: { maps: maps.map(({ name }) => name) },
      },
    },
  ];
}

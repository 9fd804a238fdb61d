import type { Clock } from '#platform/clock.ts';
import { isUuidLabel } from '#text/text.ts';
import { activeServer } from '#admin/servers.ts';
import type { Db } from '#db/db.ts';
import { readEvent } from '#events/schema/index.ts';
import { reportedTerms } from '#events/punishments/changes.ts';
import { isPublished } from '#events/handlers/maps.ts';
import { mapByName, mapNames, rotationOf } from '#store/game/maps/maps.ts';
import { namesOf, playerByName, playerByUuid } from '#store/game/players.ts';
import { revokedByReference, readTerms } from '#store/game/punishments.ts';
import { listServerNames, serverByName } from '#store/game/servers.ts';
import { reportingThemselves } from '#store/game/watches/server-watches.ts';
import { GAMEMODES } from '#store/game/statistics-groups.ts';
import type { Core } from '#importers/index.ts';
import { stateOf } from './state.ts';

/** Ten times the interval of heartbeats. */
const RECENT_MS = 300_000;

/** Answers the questions of the importers from the database. */
export function importCore(db: Db, clock: Clock): Core {
  return {
    now: () => clock.now(),
    gamemodes: GAMEMODES,
    async nameOf(uuid) {
      const name = (await playerByUuid(db, uuid))?.name ?? '';
      return name === '' || isUuidLabel(name) ? undefined : name;
    },
    async observationOf(uuid) {
      const player = await playerByUuid(db, uuid);
      const names = player === undefined ? [] : await namesOf(db, player.key);
      const present = names.find(({ name }) => name === player?.name);
      return present && { name: present.name, seen: present.last_seen };
    },
    uuidNamed: async (name) => (await playerByName(db, name))?.uuid,
    async punishmentOf(reference, server) {
      const scope = server === undefined ? 0 : (await serverByName(db, server))?.key;
      return scope === undefined ? undefined : await readTerms(db, scope, reference);
    },
    async punishmentsOf(references) {
      const revoked = await revokedByReference(db, 0, references);
      const reported = await reportedTerms(db, [...revoked.keys()]);
      const known = [...revoked].map(([reference, isRevoked]) => {
        return [reference, { revoked: isRevoked, reported: reported.get(reference) }] as const;
      });
      return new Map(known);
    },
    mapNames: () => mapNames(db),
    async isPublished(wire) {
      const read = readEvent(wire);
      return 'event' in read && read.event.type === 'map.published' && (await isPublished(db, read.event.data));
    },
    async objectiveOf(name) {
      const map = await mapByName(db, name);
      return map?.name === name ? map.objective : undefined;
    },
    stateOf: (source) => stateOf(db, source),
    serverNames: async () => (await listServerNames(db)).map(({ name }) => name),
    async reportsItself(name) {
      const server = await serverByName(db, name);
      if (server === undefined) return false;
      return (await reportingThemselves(db, [server.key], clock.now() - RECENT_MS)).size > 0;
    },
    async rotationOf(name) {
      const server = await activeServer(db, name);
      return server && (await rotationOf(db, server.key));
    },
  };
}

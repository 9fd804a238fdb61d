import { nameKey } from '#text/text.ts';
import { gamemodesOfMaps } from '#store/game/maps/maps.ts';
import { HiddenLists } from '#store/game/hidden-lists.ts';
import { reportingMatches } from '#store/game/live-matches.ts';
import { GAMEMODE_NAMES, GAMEMODES, PGM_GAMEMODES_WITH_GROUP } from '#store/game/statistics-groups.ts';
import { readGameAddress } from '#store/game/watches/game-address.ts';
import {
  heldWatches,
  recordPolls,
  reportingThemselves,
  stillWatched,
  WATCH_EVENT,
} from '#store/game/watches/server-watches.ts';
import type { AppContext } from '#context/context.ts';
import { Leases } from '#context/leases.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WatchCore } from '#watch/core.ts';
import { Watcher, type WatcherOptions } from '#watch/watcher.ts';

type Context = Pick<AppContext, 'db' | 'clock' | 'config' | 'log'>;

/** Polls the watched servers. Several processes may do this at the same time. */
export function createWatcher(context: Context, options: WatcherOptions = {}): Watcher {
  return new Watcher(watchCore(context, options.monotonic ?? (() => performance.now())), options);
}

function watchCore({ db, clock, config, log }: Context, monotonic: () => number): WatchCore {
  const leases = new Leases({ db, clock }, 'server_watches', monotonic);
  const presenceTimeoutMs = config.PRESENCE_TIMEOUT * 1000;
  const since = (): number => clock.now() - presenceTimeoutMs;
  return {
    ...{ log, presenceTimeoutMs, idPrefix: WATCH_EVENT, readAddress: readGameAddress },
    now: () => clock.now(),
    gamemodes: GAMEMODE_NAMES.map((name) => {
      return { name, tag: GAMEMODES[name].tag, hasGroup: PGM_GAMEMODES_WITH_GROUP.includes(name) };
    }),
    async hold(limit) {
      await leases.hold(limit);
      return await heldWatches(db, leases.holder);
    },
    release: () => leases.release(),
    stillWatched: (serverKeys) => stillWatched(db, serverKeys),
    reportingThemselves: (serverKeys) => reportingThemselves(db, serverKeys, since()),
    reportingMatches: (serverKeys) => reportingMatches(db, serverKeys, since()),
    async gamemodesOfMaps(names) {
      const byKey = await gamemodesOfMaps(db, names);
      return new Map(names.map((name) => [name, byKey.get(nameKey(name)) ?? []]));
    },
    async hiddenPlayers() {
      const hidden = await HiddenLists.read(db);
      return (serverKey) => hidden.on(serverKey).uuids;
    },
    async report(events) {
      const receipts = await ingestEvents(db, clock, { kind: 'operator' }, events);
      return receipts.map(({ status }) => status === 'rejected');
    },
    record: (outcomes) => db.transaction((tx) => recordPolls(tx, outcomes)),
  };
}

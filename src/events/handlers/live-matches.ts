import { hasResult, isSameMatch, newestReport, storeReport } from '#store/game/live-matches.ts';
import { summariseTeam } from '../schema/match-summary.ts';
import { type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import type { LIVE_MATCH_EVENTS } from '../schema/live-matches.ts';
import { type EventContext, type HandlerResult } from '../ledger/unit-of-work.ts';
import { observedAt } from './servers.ts';

/**
 * Stores the newest report of the match that a server plays. If the stored report has another start, its match becomes an
 * unreported match, unless its result is known.
 */
async function applyProgress(context: EventContext, data: DataOf<'match.progress'>): Promise<HandlerResult> {
  const { work, eventId: id, server, time } = context;
  const { key: serverKey } = server!;
  const received = observedAt(context, 'a report of a running match');
  const before = await newestReport(work.tx, serverKey);
  if (before !== undefined && before.time >= time) {
    if (before.event_id === id && before.time === time) return { duplicateOf: null };
    return { note: 'nothing changed: a newer report of a running match is already stored' };
  }
  const { started = null, phase, map, gamemode, observers = null, objectives } = data;
  if (started !== null && (await isReported(context, started)))
    return { note: 'nothing changed: the result of this match is already stored' };
  const teams = data.teams.map((team) => ({
    ...summariseTeam(team),
    ...(team.color === undefined ? {} : { color: team.color }),
  }));
  const players = new Set(data.teams.flatMap((team) => team.players.map(({ uuid }) => uuid)));
  const participants = data.participants ?? players.size;
  const facts = { phase, started, map, gamemode, participants, observers, teams, objectives };
  await storeReport(work.tx, { serverKey, eventId: id, time, received, ...facts }, before);
  work.reported.add(serverKey);
  return undefined;
}

/** Whether the result of the match is stored or among the events of this transaction. */
async function isReported({ work, server, time }: EventContext, started: number): Promise<boolean> {
  const { key } = server!;
  const queued = work.finished.some(
    (match) => match.serverKey === key && isSameMatch([match.started, match.finished], [started, time]),
  );
  return queued || (await hasResult(work.tx, key, started, time));
}

export const LIVE_MATCH_EFFECTS: Effects<typeof LIVE_MATCH_EVENTS> = {
  'match.progress': {
    ...PLAIN_EFFECT,
    apply: applyProgress,
    changes: [],
    retract: 'not stored',
  },
};

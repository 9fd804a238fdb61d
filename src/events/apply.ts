import { nameKey } from '#platform/text.ts';
import type { EventContext, HandlerResult } from './unit-of-work.ts';
import type { PreparedEvent } from './validation.ts';
import { applyStatistics } from './handlers/player-statistics.ts';
import { applyCounterDeclared, applyCounterRemoved } from './handlers/counters.ts';
import { applyLink } from './handlers/account-links.ts';
import { applyPublished } from './handlers/maps.ts';
import { applyRated } from './handlers/map-ratings.ts';
import { applyProgress } from './handlers/live-matches.ts';
import { applyFinished } from './handlers/matches.ts';
import { applyMerged } from './handlers/player-merges.ts';
import { applyKnown, applyNamed, applySession } from './handlers/player-sessions.ts';
import { applyChanged, applyIssued, applyRevoked } from './handlers/punishments.ts';
import { punishmentAggregate } from './punishments/aggregate.ts';
import { uuidsOf } from './schema/match-summary.ts';
import { applyRotation } from './handlers/rotations.ts';
import { applyConfigured, applyPresence, applyRemoved } from './handlers/servers.ts';

/**
 * Dispatches an event to its handler. A handler that reads rows which the batch has queued flushes the batch first.
 * @throws EventRejected
 */
export async function apply(context: EventContext, event: PreparedEvent): Promise<HandlerResult> {
  switch (event.type) {
    case 'match.finished':
      return await applyFinished(context, event.data);
    case 'player.login':
      return applySession(context, event.data, true);
    case 'player.logout':
      return applySession(context, event.data, false);
    case 'player.statistics':
      return await applyStatistics(context, event.data);
    case 'player.named':
      return applyNamed(context, event.data);
    case 'player.known':
      return applyKnown(context, event.data);
    case 'player.merged':
      return await applyMerged(context, event.data);
    case 'counter.declared':
      return await applyCounterDeclared(context, event.data);
    case 'counter.removed':
      return await applyCounterRemoved(context, event.data);
    case 'account.link':
      return await applyLink(context, event.data);
    case 'server.configured':
      return await applyConfigured(context, event.data);
    case 'server.removed':
      return await applyRemoved(context);
    case 'server.presence':
      return await applyPresence(context, event.id, event.data);
    case 'match.progress':
      return await applyProgress(context, event.id, event.data);
    case 'map.published':
      return await applyPublished(context, event.data);
    case 'rotation.changed':
      return await applyRotation(context, event.data);
    case 'map.rated':
      return await applyRated(context, event.data);
    case 'punishment.issued':
      return await applyIssued(context, event.data);
    case 'punishment.changed':
      return await applyChanged(context, event.data);
    case 'punishment.revoked':
      return await applyRevoked(context, event.data);
  }
}

/**
 * The players that an event adds where they are not known, to load before it is applied: a batch of events then reads
 * all of them in a few statements.
 */
export function playersOf(event: PreparedEvent): string[] {
  switch (event.type) {
    case 'match.finished':
      return uuidsOf(event.data);
    case 'player.login':
    case 'player.logout':
    case 'player.named':
    case 'player.known':
    case 'player.statistics':
    case 'map.rated':
    case 'account.link':
      return [event.data.player.uuid];
    case 'punishment.issued':
      return [event.data.punished.uuid];
    default:
      return [];
  }
}

/**
 * The aggregate that an event changes: a map (names compare in any case), a punishment or a rotation. The order of its
 * events matters, so retracting one of them rebuilds the aggregate from the others. All other events (null) only change
 * sums and newest values, from which each can be removed alone. A change of a punishment may be about one of another
 * server, so its handler returns the aggregate.
 */
export function aggregateOf(event: PreparedEvent, scope: number): string | null {
  switch (event.type) {
    case 'map.published':
      return `map ${nameKey(event.data.name)}`;
    case 'map.rated':
      return `map ${nameKey(event.data.map)}`;
    case 'punishment.issued':
      return punishmentAggregate({ scope, reference: event.data.punishment });
    case 'rotation.changed':
      return `rotation ${scope}`;
    default:
      return null;
  }
}

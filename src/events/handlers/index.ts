import { type EventName, type PreparedData, TYPES } from '../schema.ts';
import type { EventEffect } from './event-effect.ts';
import { accountLink } from './account-links.ts';
import { counterDeclared, counterRemoved } from './counters.ts';
import { matchProgress } from './live-matches.ts';
import { mapRated } from './map-ratings.ts';
import { mapPublished } from './maps.ts';
import { matchFinished } from './matches.ts';
import { playerMerged } from './player-merges.ts';
import { playerKnown, playerLogin, playerLogout, playerNamed } from './player-sessions.ts';
import { playerStatistics } from './player-statistics.ts';
import { punishmentChanged, punishmentIssued, punishmentRevoked } from './punishments.ts';
import { rotationChanged } from './rotations.ts';
import { serverConfigured, serverPresence, serverRemoved } from './servers.ts';

/** What each type of event does. */
export const EFFECTS: { readonly [T in EventName]: EventEffect<PreparedData<T>> } = {
  'server.configured': serverConfigured,
  'server.presence': serverPresence,
  'match.finished': matchFinished,
  'match.progress': matchProgress,
  'map.published': mapPublished,
  'rotation.changed': rotationChanged,
  'map.rated': mapRated,
  'punishment.issued': punishmentIssued,
  'punishment.changed': punishmentChanged,
  'punishment.revoked': punishmentRevoked,
  'player.login': playerLogin,
  'player.named': playerNamed,
  'player.logout': playerLogout,
  'player.statistics': playerStatistics,
  'account.link': accountLink,
  'player.known': playerKnown,
  'counter.declared': counterDeclared,
  'counter.removed': counterRemoved,
  'player.merged': playerMerged,
  'server.removed': serverRemoved,
};

/** The effect of a type, without the type of its data. */
export const effectOf = (type: EventName): EventEffect => EFFECTS[type];

/** Events of operators that are never retracted. */
export const NOT_RETRACTED = TYPES.filter((type) => {
  const { retract } = effectOf(type);
  return typeof retract === 'object' && 'reversedBy' in retract;
});

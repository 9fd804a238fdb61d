import { type EVENT_TYPES, type EventName, TYPES } from '../schema/index.ts';
import type { Effects, EventEffect } from './event-effect.ts';
import { LINK_EFFECTS } from './account-links.ts';
import { COUNTER_EFFECTS } from './counters.ts';
import { LIVE_MATCH_EFFECTS } from './live-matches.ts';
import { MAP_RATING_EFFECTS } from './map-ratings.ts';
import { MAP_EFFECTS } from './maps.ts';
import { MATCH_EFFECTS } from './matches.ts';
import { MERGE_EFFECTS } from './player-merges.ts';
import { REMOVED_NAME_EFFECTS } from './removed-names.ts';
import { PRIVACY_EFFECTS } from './player-privacy.ts';
import { SESSION_EFFECTS } from './player-sessions.ts';
import { STATISTICS_EFFECTS } from './player-statistics.ts';
import { PUNISHMENT_EFFECTS } from './punishments.ts';
import { ROTATION_EFFECTS, SERVER_EFFECTS } from './servers.ts';

export const EFFECTS: Effects<typeof EVENT_TYPES> = {
  ...SERVER_EFFECTS,
  ...MATCH_EFFECTS,
  ...LIVE_MATCH_EFFECTS,
  ...MAP_EFFECTS,
  ...ROTATION_EFFECTS,
  ...MAP_RATING_EFFECTS,
  ...PUNISHMENT_EFFECTS,
  ...SESSION_EFFECTS,
  ...STATISTICS_EFFECTS,
  ...LINK_EFFECTS,
  ...COUNTER_EFFECTS,
  ...MERGE_EFFECTS,
  ...REMOVED_NAME_EFFECTS,
  ...PRIVACY_EFFECTS,
};

/** The effect of a type; the type of its data is erased. */
export const effectOf = (type: EventName): EventEffect => EFFECTS[type] as EventEffect;

/** Events of operators that are never retracted. */
export const NOT_RETRACTED = TYPES.filter((type) => {
  const { retract } = effectOf(type);
  return typeof retract === 'object' && 'reversedBy' in retract;
});

import type { WireEvent } from '#events/schema/index.ts';
import type { Fixture } from '../schedule.ts';
import { playersAt, playMatch, timestampOf } from './match.ts';
import type { Naming } from './teams.ts';

/** A match at a time before its end: the objectives so far, and its present players with a share of their final counters. */
export function progressOf(
  seed: string,
  fixture: Fixture,
  naming: Naming,
  { time, online }: { time: number; online: number },
): WireEvent {
  const { started, finished, server } = fixture;
  const { data } = playMatch(seed, fixture, naming);
  const share = (time - started) / (finished - started);
  const sofar = (count = 0): number => Math.floor(count * share);
  const present = playersAt(seed, fixture, naming, time);
  const all = data.teams.map(({ name, players }) => ({
    name,
    players: players
      .filter(({ uuid }) => present.has(uuid))
      .map(({ uuid, name: player, score, kill_count, death_count }) => ({
        ...{ uuid, name: player, score: sofar(score) },
        ...{ kill_count: sofar(kill_count), death_count: sofar(death_count) },
      })),
  }));
  const isFreeForAll = fixture.map.teams.length === 0;
  const teams = isFreeForAll ? all.filter(({ players }) => players.length > 0) : all;
  const audience = { participants: present.size, observers: online - present.size };
  const objectives = data.objectives!.filter((objective) => Date.parse(objective.time) <= time);
  const { map, gamemode } = data;
  return {
    version: 1,
    id: `progress-${fixture.id}-${time}`,
    type: 'match.progress',
    time: timestampOf(time),
    server: server.name,
    data: { phase: 'running', map, gamemode, started: data.started, ...audience, teams, objectives },
  };
}

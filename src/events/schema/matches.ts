import { eventType, PLAIN, tooLate } from './event-type.ts';
import { type FinishedMatch, finishedMatch, matchIssues, weightOfCounters } from './match-schema.ts';
import { EXAMPLE_PLAYER, EXAMPLE_UUID } from './members.ts';
import { pseudonymiseMatch, summariseMatch, matchUuids } from './match-summary.ts';
import { implausibleMatch } from './match-plausibility.ts';

/** Rows of a match and of a player in it (the result and the counters). */
const MATCH_WEIGHT = 3;
const MATCH_PLAYER_WEIGHT = 2;

export const MATCH_EVENTS = {
  'match.finished': eventType({
    description: 'A match that is over, with everybody who played it',
    data: finishedMatch,
    example: {
      map: 'Twin Peaks',
      gamemode: 'ctw',
      win: 'Red',
      started: '2026-03-01T11:50:00Z',
      finished: '2026-03-01T12:00:00Z',
      teams: [
        {
          name: 'Red',
          players: [{ ...EXAMPLE_PLAYER, kill_count: 1, time_played: 600 }],
        },
        {
          name: 'Blue',
          players: [
            { uuid: '2b9f6f3e-7c55-4e2a-8f0d-3d1c5b7a9e42', name: 'Wharfinger', death_count: 1, time_played: 600 },
          ],
        },
      ],
      objectives: [
        {
          player: EXAMPLE_PLAYER,
          team: 'Red',
          type: 'wool',
          name: 'Blue wool',
          time: '2026-03-01T11:59:00Z',
        },
      ],
      kills: [
        {
          killer: EXAMPLE_UUID,
          victim: '2b9f6f3e-7c55-4e2a-8f0d-3d1c5b7a9e42',
          time: '2026-03-01T11:55:00Z',
        },
      ],
    },
    ...PLAIN,
    sender: 'servers',
    needsServer: true,
    weight({ teams, objectives, kills }) {
      const players = teams.reduce((sum, team) => sum + team.players.length, 0);
      return MATCH_WEIGHT + MATCH_PLAYER_WEIGHT * players + weightOfCounters(teams) + objectives.length + kills.length;
    },
    checks: {
      furtherIssues: matchIssues,
      misdated: (match, _time, latest) => timestampsAfter(match, latest).map(tooLate),
      implausible: implausibleMatch,
    },
    prepared: {
      from: summariseMatch,
      rename: pseudonymiseMatch,
    },
    players: matchUuids,
  }),
};

/** The places of the timestamps after `latest`; only the first of objectives and of kills. */
function timestampsAfter(match: FinishedMatch, latest: number): string[] {
  const places = match.finished > latest ? ['data.finished'] : [];
  for (const part of ['objectives', 'kills'] as const) {
    const index = match[part].findIndex(({ time }) => time > latest);
    if (index >= 0) places.push(`data.${part}.${index}.time`);
  }
  return places;
}

import { MINUTE } from './calendar.ts';
import { seenBefore } from './people/logins.ts';
import { timestampOf } from './match/match.ts';
import type { Day } from './network.ts';
import type { Player } from './people/players.ts';
import type { Timed } from './event-queue.ts';
import { Random } from './random.ts';
import type { GeneratedHistory } from './history.ts';
import { FACTIONS } from './servers.ts';

const REPORT_EVERY = 7;

/** The reports of the factions server: one with the counters from before the history, then one for each week. */
export function factionReports(history: GeneratedHistory, opening: number, days: readonly Day[]): Timed[] {
  const members = history.network.players.filter(({ faction }) => faction !== undefined);
  const before = members.map((player) => {
    const minutes =
      new Random(history.network.seed, 'factions before', player.number).between(30, 2400) * player.activity;
    return report(history, player, 'before', minutes, seenBefore(history, player, opening).to);
  });
  const weeks = Array.from({ length: Math.ceil(days.length / REPORT_EVERY) }, (_, week) =>
    days.slice(week * REPORT_EVERY, (week + 1) * REPORT_EVERY),
  );
  return [...before, ...weeks.flatMap((week) => weekly(history, week))];
}

function weekly(history: GeneratedHistory, week: readonly Day[]): Timed[] {
  const played = new Map<Player, { minutes: number; last: number }>();
  for (const { player, server, from, to } of week.flatMap(({ sessions }) => sessions).flatMap(({ stays }) => stays)) {
    if (server !== FACTIONS || to >= history.now) continue;
    const sum = played.get(player) ?? { minutes: 0, last: 0 };
    played.set(player, { minutes: sum.minutes + (to - from) / MINUTE, last: Math.max(sum.last, to) });
  }
  return [...played].map(([player, { minutes, last }]) => report(history, player, String(week[0]!.day), minutes, last));
}

function report(history: GeneratedHistory, player: Player, label: string, minutes: number, time: number): Timed {
  const random = new Random(history.network.seed, 'factions', player.number, label);
  const strength = Math.exp(0.5 * player.skill);
  return {
    time,
    event: {
      version: 1,
      id: `factions-${player.number}-${label}`,
      type: 'player.statistics',
      time: timestampOf(time),
      server: FACTIONS,
      data: {
        player: { uuid: player.uuid, name: history.naming(player, time) },
        gamemode: 'factions',
        kill_count: random.count((minutes / 25) * strength),
        death_count: random.count(minutes / 25 / strength),
        time_played: Math.round(minutes * 60),
        power: Math.round(Math.min(20, Math.max(-10, 8 + 5 * random.normal())) * 100) / 100,
        ...factionOf(player),
      },
    },
  };
}

/** Every fifth member is an officer of the faction. */
function factionOf({ faction = '', number }: Player): { faction: string; faction_id: string; faction_role: string } {
  if (faction === '') return { faction, faction_id: '', faction_role: '' };
  const faction_id = faction.toLowerCase().replaceAll(' ', '-');
  return { faction, faction_id, faction_role: number % 25 === 0 ? 'officer' : 'member' };
}

import { hash } from 'node:crypto';
import { Names } from './names.ts';
import { Random } from '../random.ts';
import { ARENAS, FACTIONS, SERVERS } from '../servers.ts';

export interface Player {
  number: number;
  uuid: string;
  /** The name at the start of the history. */
  name: string;
  /** The later name of the few players who changed it, and the fraction of the history at which they did. */
  renamed?: { name: string; at: number };
  /** Around 0, mostly between -2 and 2. */
  skill: number;
  /** Average sessions per weekday. */
  activity: number;
  sessionMinutes: number;
  /** Hours by which the player is online later than the others; negative for earlier. */
  shift: number;
  /** The factor for sessions at weekends. */
  weekend: number;
  /** Weights of the servers, in the order of SERVERS. */
  tastes: readonly number[];
  /** The player's faction; empty for players without one, undefined for players who never play factions. */
  faction?: string;
  /** The average difference between this player's ratings and those of others. */
  leniency: number;
}

const PLAYER_COUNT = 600;

/** The players with accounts in the demo: an operator and an ordinary member. */
export const OPERATOR = { name: 'Wharfinger', uuid: '6f1c9a52-40d7-4e0b-9b8e-2d1f5a7c3e90' };
export const MEMBER = { name: 'Saltmarten', uuid: 'b83d27e4-915f-4c6a-8a02-71e4c9d05f3b' };

const OFFLINE = [57, 211, 388, 512];
/** The numbers of a person's two game accounts: one of offline mode, and the one with which the person plays later. */
export const MERGED = { from: 57, into: 58 };
const BEDROCK = [93, 164, 302, 477, 555];
const RENAMED = [1, 24, 71, 118, 203, 266, 349, 431, 540];
const FACTION_NAMES = [
  'Saltreeve',
  'Hearthguard',
  'Tallow Pact',
  'Moss Court',
  'Kilnfolk',
  'Grey Oars',
  'Thornhold',
  'Lowlight',
];
/** Every fifth player also plays factions, and so do the two players with accounts. */
const FACTION_EACH = 5;

/** The 600 players; the same seed gives the same players. */
export function samplePlayers(seed: string): Player[] {
  const names = new Names(new Random(seed, 'names'), [OPERATOR.name, MEMBER.name]);
  return Array.from({ length: PLAYER_COUNT }, (_, number) => newPlayer(seed, number, names));
}

function newPlayer(seed: string, number: number, names: Names): Player {
  const random = new Random(seed, 'player', number);
  const faction = chooseFaction(random, number);
  const player = {
    number,
    ...createIdentity(random, number, names),
    skill: random.normal(),
    ...chooseHabits(random, number),
    tastes: chooseTastes(random, faction !== undefined),
    leniency: 0.45 * random.normal(),
    ...(faction !== undefined && { faction }),
    ...(RENAMED.includes(number) && { renamed: { name: nextName(number, names), at: random.between(0.2, 0.9) } }),
  };
  if (number === MERGED.from || number === MERGED.into) player.activity = 1.9;
  return number < 2 ? { ...player, skill: 1.1 - number * 0.6, activity: 2.2 - number * 0.4, shift: 0 } : player;
}

function chooseFaction(random: Random, number: number): string | undefined {
  if (number < 2) return random.pick(FACTION_NAMES);
  return number % FACTION_EACH === 0 ? random.pick(['', ...FACTION_NAMES]) : undefined;
}

/** The member got the name in `MEMBER` by a rename during the history. */
function nextName(number: number, names: Names): string {
  return number === 1 ? MEMBER.name : names.next();
}

function createIdentity(random: Random, number: number, names: Names): { uuid: string; name: string } {
  if (number === 0) return OPERATOR;
  if (number === 1) return { uuid: MEMBER.uuid, name: names.next() };
  const name = names.next();
  if (OFFLINE.includes(number)) return { name, uuid: offlineUuid(name) };
  if (BEDROCK.includes(number))
    return { name: `.${name.slice(0, 15)}`, uuid: `00000000-0000-0000-0009-${random.hex(12)}` };
  return { name, uuid: randomUuid(random) };
}

/** The UUID of a player in offline mode: version 3, of `OfflinePlayer:` and the name. */
function offlineUuid(name: string): string {
  const bytes = hash('md5', `OfflinePlayer:${name}`, 'buffer');
  bytes[6] = (bytes[6]! & 0x0f) | 0x30;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return dashed(bytes.toString('hex'));
}

function randomUuid(random: Random): string {
  const hex = random.hex(32);
  return dashed(`${hex.slice(0, 12)}4${hex.slice(13, 16)}${random.pick(['8', '9', 'a', 'b'])}${hex.slice(17)}`);
}

function dashed(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

type Habits = Pick<Player, 'activity' | 'sessionMinutes' | 'shift' | 'weekend'>;

/**
 * A quarter of the players play on most days, a third sometimes, the others rarely. The players with accounts play on
 * most days.
 */
function chooseHabits(random: Random, number: number): Habits {
  const kind = number < 2 ? 0 : random.weighted([25, 35, 40]);
  return {
    activity: [random.between(0.9, 1.9), random.between(0.4, 0.9), random.between(0.03, 0.2)][kind]!,
    sessionMinutes: 45 + 30 * Math.abs(random.normal()) + (kind === 0 ? 20 : 0),
    shift: random.chance(0.12) ? random.between(4, 12) : 1.2 * random.normal(),
    weekend: random.between(1, 2.2),
  };
}

/** The weights of the servers; each player prefers two arenas. */
function chooseTastes(random: Random, factions: boolean): number[] {
  const liked = random.shuffled(ARENAS).slice(0, 2);
  return SERVERS.map((server) => {
    if (server.name === FACTIONS) return factions ? server.pull * 7 : 0;
    return server.pull * (liked.includes(server) ? 3 : random.between(0.3, 1));
  });
}

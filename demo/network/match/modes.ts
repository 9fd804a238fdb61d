import type { Gamemode as KnownGamemode } from '#store/game/statistics-groups.ts';

/** The properties of a gamemode. */
export interface Mode {
  /** Shortest and longest match, in minutes. */
  minutes: readonly [number, number];
  /** The fewest players with which a match starts. */
  least: number;
  /** Average kills per player and minute. */
  kills: number;
  /**
   * The winner is decided by objectives completed once (`goals`), accumulated points (`points`), kills (`kills`), the last
   * survivors (`survival`), or painted ground (`paint`).
   */
  decidedBy: 'goals' | 'points' | 'kills' | 'survival' | 'paint';
  /** The probability of a draw. */
  draws: number;
}

export const MODES = {
  ctw: { minutes: [12, 26], least: 10, kills: 0.42, decidedBy: 'goals', draws: 0.03 },
  dtc: { minutes: [8, 18], least: 8, kills: 0.45, decidedBy: 'goals', draws: 0.02 },
  dtm: { minutes: [9, 20], least: 9, kills: 0.42, decidedBy: 'goals', draws: 0.02 },
  ctf: { minutes: [8, 15], least: 8, kills: 0.5, decidedBy: 'points', draws: 0.05 },
  cp: { minutes: [8, 14], least: 8, kills: 0.5, decidedBy: 'points', draws: 0.01 },
  koth: { minutes: [7, 12], least: 8, kills: 0.6, decidedBy: 'points', draws: 0.01 },
  tdm: { minutes: [7, 11], least: 7, kills: 0.75, decidedBy: 'kills', draws: 0 },
  blitz: { minutes: [4, 8], least: 8, kills: 0, decidedBy: 'survival', draws: 0 },
  rage: { minutes: [6, 9], least: 7, kills: 1.6, decidedBy: 'kills', draws: 0 },
  bowspleef: { minutes: [3, 7], least: 6, kills: 0, decidedBy: 'survival', draws: 0 },
  tntrun: { minutes: [3, 6], least: 6, kills: 0, decidedBy: 'survival', draws: 0 },
  paintball: { minutes: [6, 9], least: 8, kills: 1.3, decidedBy: 'kills', draws: 0 },
  splatt: { minutes: [4, 4.2], least: 8, kills: 0.8, decidedBy: 'paint', draws: 0 },
} as const satisfies Partial<Record<KnownGamemode, Mode>>;

export type Gamemode = keyof typeof MODES;

export const modeOf = (gamemode: Gamemode): Mode => MODES[gamemode];

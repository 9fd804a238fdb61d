import type { Group, Gamemode } from '#store/game/statistics-groups.ts';

/** The names of groups, gamemodes and punishment types on the site and in the console. */
export interface GameTexts {
  groups: Record<Group, string>;
  gamemodes: Record<Gamemode, string>;
  /** The types that servers usually report. */
  punishmentTypes: Readonly<Record<string, string>>;
}

export const en: GameTexts = {
  groups: {
    bowspleef: 'Bow Spleef',
    tntrun: 'TNT Run',
    cp: 'Control points',
    ctw: 'Capture the Wool',
    objective: 'Cores, monuments, flags',
    paintball: 'Paintball',
    splatt: 'Splatt',
    teampvp: 'Team fights',
    factions: 'Factions',
  },
  gamemodes: {
    ctw: 'Capture the Wool',
    dtc: 'Destroy the Core',
    dtm: 'Destroy the Monument',
    ctf: 'Capture the Flag',
    cp: 'Control the Point',
    koth: 'King of the Hill',
    payload: 'Payload',
    tdm: 'Team Deathmatch',
    blitz: 'Blitz',
    ffa: 'Free-for-all',
    rage: 'Rage',
    bowspleef: 'Bow Spleef',
    tntrun: 'TNT Run',
    paintball: 'Paintball',
    splatt: 'Splatt',
  },
  punishmentTypes: { ban: 'Ban', mute: 'Mute', kick: 'Kick', warn: 'Warning' },
};

/** The name of a punishment type, which any network may add to: a type without a name as the server reported it. */
export function punishmentTypeName(names: GameTexts['punishmentTypes'], type: string): string {
  const key = type.toLowerCase();
  return Object.hasOwn(names, key) ? names[key]! : type;
}

import type { Group, ListedGamemode } from '#store/game/statistics-groups.ts';

/** The names of groups and gamemodes on the site and in the console. */
export interface GameTexts {
  groups: Record<Group, string>;
  gamemodes: Record<ListedGamemode, string>;
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
    tdm: 'Team Deathmatch',
    blitz: 'Blitz',
    rage: 'Rage',
    bowspleef: 'Bow Spleef',
    tntrun: 'TNT Run',
    paintball: 'Paintball',
    splatt: 'Splatt',
  },
};

import type { GameTexts } from './en.ts';

export const ja: GameTexts = {
  groups: {
    bowspleef: 'Bow Spleef',
    tntrun: 'TNT Run',
    cp: '拠点戦',
    ctw: 'Capture the Wool',
    objective: 'コア・モニュメント・旗',
    paintball: 'ペイントボール',
    splatt: 'Splatt',
    teampvp: 'チーム戦',
    factions: 'Factions',
  },
  gamemodes: {
    ctw: 'Capture the Wool',
    dtc: 'Destroy the Core',
    dtm: 'Destroy the Monument',
    ctf: 'Capture the Flag',
    cp: 'Control the Point',
    koth: 'King of the Hill',
    tdm: 'チームデスマッチ',
    blitz: 'Blitz',
    rage: 'Rage',
    bowspleef: 'Bow Spleef',
    tntrun: 'TNT Run',
    paintball: 'ペイントボール',
    splatt: 'Splatt',
  },
};

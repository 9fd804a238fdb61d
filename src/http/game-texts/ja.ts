import type { GameTexts } from './en.ts';

export const ja: GameTexts = {
  groups: {
    bowspleef: 'ボウスプリーフ',
    tntrun: 'TNT ラン',
    cp: '拠点戦',
    ctw: '羊毛争奪戦',
    objective: 'コア・モニュメント・旗',
    paintball: 'ペイントボール',
    splatt: 'スプラット',
    teampvp: 'チーム戦',
    factions: 'ファクション',
  },
  gamemodes: {
    ctw: '羊毛争奪戦',
    dtc: 'コア破壊戦',
    dtm: 'モニュメント破壊戦',
    ctf: '旗争奪戦',
    cp: '拠点戦',
    koth: 'キング・オブ・ザ・ヒル',
    payload: 'ペイロード',
    tdm: 'チームデスマッチ',
    blitz: 'ブリッツ',
    ffa: '個人戦',
    rage: 'レイジ',
    bowspleef: 'ボウスプリーフ',
    tntrun: 'TNT ラン',
    paintball: 'ペイントボール',
    splatt: 'スプラット',
  },
  punishmentTypes: { ban: 'BAN', mute: 'ミュート', kick: 'キック', warn: '警告' },
};

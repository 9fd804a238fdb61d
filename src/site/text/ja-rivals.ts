import { CLIMBERS, COMPARED_PLACES } from '#store/game/leaderboards/leaderboards.ts';
import { COMPARED_MATCHES } from '#store/game/match-lists.ts';
import { RECENT_MATCHES } from '#store/game/rivals/recent-matches.ts';
import type { Text } from './en.ts';

export const rivals: Text['rivals'] = {
  form: '調子と自己最高',
  newest: '直近の結果',
  streak: '現在の連続',
  wins: (count) => `${count} 連勝`,
  losses: (count) => `${count} 連敗`,
  noStreak: 'なし',
  winStreak: '最多連勝',
  loseStreak: '最多連敗',
  records: { kill: '1 試合の最多キル', score: '1 試合の最多得点', time: '最長の試合' },
  bestMap: '得意なマップ',
  bestMapOf: (wins, matches, newest) => `直近 ${newest} 試合のうち ${matches} 試合で ${wins} 勝`,
  victim: '最も多く倒した相手',
  nemesis: '最も多く倒された相手',
  times: (count) => `${count} キル`,
  title: (name) => `${name} のライバル`,
  link: 'ライバル',
  lists: {
    victims: '多く倒した相手',
    killers: '多く倒された相手',
    teammates: '同じチームになった人',
    opponents: '対戦した人',
  },
  notes: {
    victims: '全試合、3 キル以上。',
    killers: '全試合、3 キル以上。',
    teammates: `直近 ${RECENT_MATCHES} 試合。`,
    opponents: `直近 ${RECENT_MATCHES} 試合。`,
  },
  none: 'まだいません。',
  duel: (kills, deaths) => `${kills} キル、${deaths} デス`,
  together: (matches, wins) => `${matches} 試合、${wins} 勝`,
  compare: '比較する相手',
  compareHint: '名前、UUID、ID',
  compareButton: '比較',
  comparison: (one, other) => `${one} と ${other}`,
  unknown: (name) => `プレイヤー「${name}」はいません。綴りを確かめるか、検索してください。`,
  same: '別のプレイヤーを選んでください。このプレイヤーはすでに表示されています。',
  value: '項目',
  kills: (name) => `${name} のキル`,
  between: '直接の対戦',
  betweenNote: (name) => `キルは全試合、チームは ${name} の直近 ${RECENT_MATCHES} 試合です。`,
  asTeammates: '同じチーム',
  asOpponents: '別のチーム',
};

export const places: Text['places'] = {
  nth: (count) => `${count} 位`,
  of: (nth, of) => `${of} 人中 ${nth}`,
  inMonth: (place, month) => `${month}：${place}`,
  first: (period, by, mode) => [`${period}・${by} 1 位`, mode].filter(Boolean).join('・'),
  byMetric: (place, by, mode) => `${place}（${[by, mode].filter(Boolean).join('・')}）`,
  by: { win: '勝利数', kill: 'キル数', play: '試合数' },
  yours: 'あなたの順位：',
  whole: 'ランキング全体',
  visit: {
    since: (parts) => `前回の訪問から：${parts.join('、')}`,
    wins: (count) => `${count} 勝`,
    place: (place) => `${place} 位`,
    up: (count) => `${count} 位上昇`,
    down: (count) => `${count} 位下降`,
  },
};

export const highlights: Text['highlights'] = {
  match: '今日の注目試合',
  matchRule: `過去 24 時間の最新 ${COMPARED_MATCHES.toLocaleString('en')} 試合のうち、参加人数が最も多い試合です。`,
  bestPlayer: '最も活躍したプレイヤー',
  climbers: '今週の急上昇',
  climbersRule: `今週の勝利数の上位 ${COMPARED_PLACES} 人のうち、先週より順位を最も上げた ${CLIMBERS} 人です。先週の勝利がない人は、先週の最下位の次とみなします。`,
};

import type { Text } from './en.ts';

export const server: Text['server'] = {
  describe: (server, network) => `${network} の ${server} にいるプレイヤーと、進行中の試合。`,
  running: '進行中の試合',
  phases: { starting: 'まもなく開始', running: '進行中', finished: '終了（結果は未報告）' },
  noMatch: '進行中の試合はありません。',
  reload: '再読み込み',
  next: (map) => `次のマップ：${map}`,
  elapsed: '経過時間',
  participants: '参加者',
  observers: '観戦者',
  unreported: '結果のない試合',
  unreportedNote: 'このサーバーで確認された試合ですが、結果は報告されていません。',
};

/** What screen readers announce while a page follows. */
export const live: Text['live'] = {
  finished: (map) => `${map} の試合が終わりました。`,
  counted: 'この試合は集計に含まれます。',
};

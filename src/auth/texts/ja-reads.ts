import type { Texts } from './en.ts';

export const reads: Texts['account']['reads'] = {
  title: 'データを読んだアプリ',
  lead: '過去 31 日間に、あなたのゲームアカウントのデータを求めたアプリを日ごとに示します。ランキング、試合、ライブ情報、変更のフィードは誰にでも同じ内容なので、数えていません。',
  none: 'ありません。',
  requests: (count) => `${count} 回`,
  until: (timestamp) => `${timestamp} までの集計`,
  not_counted: 'まだ集計されていません。',
  deleted: '削除されたアプリ',
};

import { ja as game } from '#http/game-texts/ja.ts';
import type { counters as en } from './en-counters.ts';

/** The Japanese texts of the page about the network's own counters. */
export const counters: typeof en = {
  lead: 'キル、デス、勝敗のほかにサーバーが数えるものです。プレイヤーと試合のページ、ランキング、データ API に表示されます。',
  none: 'カウンターはまだありません。追加するか、PGM のカウンターを有効にしてください。',
  counter: 'カウンター',
  key: 'キー',
  key_hint: 'イベントとデータ API での名前です。英小文字、数字、アンダースコアを使います（例：best_streak）。',
  label: '英語の名前',
  label_ja: '日本語の名前',
  label_ja_hint: '空欄の場合は英語の名前が表示されます。',
  aggregate: '数え方',
  aggregates: { sum: '合計', max: '最大値' },
  aggregate_hints: { sum: 'すべての試合の値を合計します。', max: '1 試合の最大の値を記録します。' },
  modes: '数えるモード',
  modes_hint: '何も選ばない場合は、すべてのモードで数えます。',
  all_modes: 'すべてのモード',
  mode_names: game.groups,
  most: '1 試合でありうる最大の値',
  most_hint: 'これより大きい値は、警告とともに数えられます。',
  order: '表示順',
  whole: '整数を入力してください。',
  add: 'カウンターを追加する',
  create: '追加する',
  exists: (key: string) => `カウンター ${key} はすでにあります。`,
  presets: 'PGM のカウンター',
  presets_lead: 'すぐに有効にできます。サーバーがこれまでに報告した値も数えられます。',
  switch_on: '有効にする',
  switch_on_all: 'すべて有効にする',
  counting: '過去の試合を集計中',
  recounts: '数え方やモードを変えると、すべての試合が数え直されます。',
  remove: '削除する',
  remove_hint:
    'すべてのページとデータ API から消えます。サーバーが報告した値は保存されたままなので、もう一度追加すると数え直されます。',
  board: 'ランキング',
};

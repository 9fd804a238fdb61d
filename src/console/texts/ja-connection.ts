import type { connection as en } from './en-connection.ts';

/** The Japanese texts about connecting a game server. */
export const connection: typeof en = {
  connection: {
    title: '接続',
    waiting: 'イベント未受信',
    reload: '再確認',
    newest: (ago) => `最新のイベント：${ago}`,
    rejected: '拒否（下記を参照）',
    no_type: '種類なし',
    lead: 'このサーバーの接続方法を選んでください。詳しくは docs/connect.md にあります。ページを離れたり再読み込みしたりする前に、キーを控えてください。',
    ways: {
      agent: [
        'プラグインなしの Minecraft サーバー',
        'エージェントがファイルを読み、オンラインのプレイヤー、ログイン、名前、BAN を送ります。',
      ],
      pgm: ['PGM', 'エージェントと PGM 用プラグイン。チーム、目標、キル、カウンターを含むすべての試合を送ります。'],
      bukkit: [
        'Spigot または Paper',
        'エージェントと Bukkit 用プラグイン。/link、/stats、参加時の BAN 確認も使えます。',
      ],
      outbox: ['自作のプラグイン', 'イベントを outbox.ndjson に追記し、エージェントが送ります。'],
      http: ['HTTP を使えるもの', 'このコマンドはプレイヤー 1 人を報告します。キーは INGEST_KEY に入れます。'],
    },
  },
};

import type { operator as en } from './en-operator.ts';

/** What only operators read, in Japanese. */
export const operator: typeof en = {
  operator: {
    sections: {
      '': '申請',
      '/applications': 'アプリ',
      '/accounts': 'アカウント',
      '/servers': 'ゲームサーバー',
      '/players': 'プレイヤーの統合',
      '/punishments': '処罰',
      '/audit': '監査ログ',
    },
    waiting: '対応待ち',
    nothing_waits: '待っている申請はありません。',
    decided: '最近の回答',
    asked_by: (name) => `${name} さんの申請、`,
    decided_by: (name) => `${name} が回答`,
    by_itself: '設定により自動で許可',
    nobody: '削除されたアカウント',
    look: '見る',
    wish: '申請の内容',
    application: 'アプリ',
    applicant: '申請者',
    when: '申請日時',
    grant_limit: '許可する上限（1 時間あたりのリクエスト数）',
    note: '申請者への連絡',
    note_hint: '回答とともにメールで送られます。却下するときは必須です。',
    note_missing: '理由を書いてください。申請者が読みます。',
    note_wrong: (max) => `連絡は ${max} 文字以内にしてください。`,
    limit_wrong: '上限は 1 以上の整数で入力してください。',
    approve: '許可する',
    refuse: '却下する',
  },

  health: {
    title: '稼働状況',
    database: 'データベース',
    databases: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
    servers: 'ゲームサーバー',
    heard: (heard, known) => `${known} 台のうち ${heard} 台から受信中`,
    online: 'オンラインのプレイヤー',
    last_event: '最後のイベント',
    last_match: '最後に終わった試合',
    never: 'なし',
    process: 'このプロセス',
    running: (time, memory) => `稼働 ${time}、${memory} MB`,
    duration: (days, hours, minutes) =>
      [days > 0 ? `${days} 日` : '', `${hours} 時間`, `${minutes} 分`].filter((part) => part !== '').join(' '),
  },
};

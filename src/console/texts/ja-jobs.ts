import type { jobs as en } from './en-jobs.ts';

/** The Japanese texts of jobs and confirmations. */
export const jobs: typeof en = {
  jobs: {
    lead: 'イベントの取り下げ、プレイヤーの統合、削除したプレイヤーの匿名化、カウンターの再集計は、ほかの処理と並行して少しずつ実行されます。',
    none: 'まだジョブはありません。',
    job: 'ジョブ',
    about: '対象',
    progress: '進捗',
    started: '開始',
    ended: '終了',
    error: 'エラー',
    kinds: {
      withdrawal: 'イベントの取り下げ',
      merge: 'プレイヤーの統合',
      anonymisation: '匿名化',
      counters: 'カウンターの再集計',
    },
    states: { waiting: '実行中', pausing: '一時停止処理中', paused: '一時停止中', done: '完了', failed: '失敗' },
    of: (done: string, total: string) => `${total} 件中 ${done} 件`,
    pause: '一時停止する',
    pause_hint: '済んだ分はそのまま残ります。あとで再開できます。',
    resume: '再開する',
    refreshes: '実行中は、このページが自動的に更新されます。',
    holds: 'プレイヤーの記録が途中の状態にあるため、このジョブが終わるまで後のジョブは待ちます。',
  },
  confirm: {
    cancel: 'キャンセル',
    for_good: 'この操作は取り消せません。',
    nothing: 'その時刻以降に保存されたイベントはありません。ハートビートは接続人数のグラフから除かれます。',
    withdraw: (name: string) => `${name} のイベントを取り下げますか？`,
    withdraw_falls: (count: string) => `${count} 件のイベントと、それに基づくすべての記録が取り下げられます。`,
    revoke_key: (name: string) => `${name} のキーを無効にしますか？`,
    revoke_key_falls: (id: string) => `キー ${id} はすぐに使えなくなります。使用中のプログラムは報告できなくなります。`,
    last_key: '最後の有効なキーです。新しいキーを作るまで、サーバーは報告できません。',
    delete_server: (name: string) => `${name} を削除しますか？`,
    delete_server_falls: (keys: string) =>
      `サーバーはすべての一覧から消え、有効なキー（${keys} 個）は使えなくなります。試合の記録は残ります。`,
    make_operator: (name: string) => `${name} を運営にしますか？`,
    make_operator_falls:
      '運営は、イベントの取り下げ、プレイヤーの統合、処罰の取り消し、すべてのアカウントとアプリ（あなたのものを含む）の変更と削除ができます。',
    make_operator_undo: '運営であれば、この権限を取り消せます。',
    make_user: (name: string, role: string) => `${name}（${role}）を一般の利用者にしますか？`,
    make_user_falls: '運営のページを開けなくなります。アカウントとアプリは残ります。',
    make_user_undo: '運営は、もう一度この権限を与えられます。',
    delete_account: (name: string) => `アカウント ${name} を削除しますか？`,
    sessions: (count: string) => `ログアウトされるブラウザ：${count}`,
    connected: (names: string) => `アクセスできなくなるアプリ：${names}`,
    suspended: (names: string) => `ほかに所有者がいないため停止されるアプリ：${names}`,
    pseudonym: '試合の記録は仮の名前で残ります。ゲームアカウントが再び連携されると、有効な処罰は再び適用されます。',
    last_operator: '最後の運営です。先にほかの人を運営にしてください。',
  },
};

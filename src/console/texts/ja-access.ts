import type { access as en } from './en-access.ts';

/** The Japanese texts of an owner's way to the data API: the next step, requests and changes that wait for an operator. */
export const access: typeof en = {
  steps: {
    title: '次は：データ API の利用申請',
    access: {
      none: '何を作るかを 2 文ほどで書いてください。ログイン機能は申請なしで使えます。',
      refused: '申請は却下されました。理由を確認して、もう一度申請できます。',
    },
    try_title: '試してみる',
    try_client_id: 'Client ID だけで、公開データを読む：',
    try_token: 'アプリ自身のトークンで、アプリの上限で読む：',
    your_secret: 'YOUR_SECRET',
    guide: 'ログインやページ送りについては：',
  },

  access: {
    title: 'データ API の利用',
    states: {
      none: 'このアプリはまだ利用を申請していません。',
      waiting: '運営者の回答を待っています。回答はメールで届きます。',
      approved: 'このアプリはデータ API を利用できます。',
      refused: '申請は却下されました。理由は下にあります。もう一度申請できます。',
      revoked: '運営者がこのアプリの API 利用を停止しました。もう一度申請できます。',
    },
    limit_now: '上限：',
    raised: (limit) => `アプリと利用者ごとに、1 時間 ${limit} リクエスト`,
    usual: (app, user, address) =>
      `1 時間に、アプリ自身のトークンで ${app}、利用者ごとに ${user}、Client ID だけではアドレスごとに ${address} リクエスト`,
    access: {
      title: '利用を申請する',
      purpose: '何を作りますか？',
      purpose_hint: '何をするもので、誰のためか、2 文ほどで十分です。',
      volume: '1 時間あたりのおおよそのリクエスト数',
      volume_hint: '見込みでかまいません。',
      submit: '申請する',
    },
    limit: {
      title: '上限の引き上げを申請する',
      purpose: 'なぜ必要ですか？',
      purpose_hint: '何を、どのくらいの頻度で取得し、何をすでに保存しているか。',
      volume: '1 時間あたりのリクエスト数',
      volume_hint: 'もっとも混み合う時間に必要な数です。',
      submit: '申請する',
    },
    site: 'どこで見られますか？',
    site_hint: 'すでにあれば、そのアドレス。',
    history: '申請の履歴',
    kinds: { access: '利用', limit: '上限の引き上げ' },
    request_states: { waiting: '回答待ち', approved: '許可', refused: '却下' },
    per_hour: (volume) => `1 時間 ${volume} リクエスト`,
    problems: {
      purpose: (max) => `何を作るかを 1～${max} 文字で書いてください。`,
      site: 'https://example.org のようなウェブアドレスを入力してください。',
      volume: '1 以上の整数を入力してください。',
    },
  },

  waiting: {
    title: { access: '申請は回答待ちです', limit: '上限引き上げの申請は回答待ちです' },
    since: '申請日時',
    opens: '許可されると',
    opens_access: (app, user) =>
      `データ API を、アプリ自身のトークンで 1 時間 ${app} リクエスト、利用者ごとに ${user} リクエストまで利用できます`,
    opens_limit: (volume) => `アプリと利用者ごとに、1 時間 ${volume} リクエストまで利用できます`,
    operator: '運営者への連絡',
    mailed: 'メールで知らせました：',
    mail_follows: '1 時間以内にメールで知らせます。',
    in_console: '運営者はコンソールで申請を確認します。',
    mail_fails:
      '運営者はコンソールで申請を確認します。現在メールサーバーが応答していないため、復旧しだいメールでも知らせます。',
    answer: (email) => `回答は ${email} にメールで届きます。`,
    answer_elsewhere: (name) => `回答は ${name} さんにメールで届きます。`,
  },

  changes: {
    title: '変更は運営者の確認待ちです',
    lead: 'このアプリは、現在の名前、ロゴ、リダイレクト URI で運営者に許可されています。新しいものが許可されるまで、現在のものが使われます。結果は所有者全員にメールで届きます。',
    hint: 'このアプリは運営者に許可されています。名前とロゴの変更、リダイレクト URI の追加は、運営者が許可してから有効になります。ほかの変更はすぐに有効になります。',
    withdraw: '変更を取り下げる',
    kind: '名前、ロゴ、リダイレクト URI の変更',
    review_title: (application) => `${application} の変更`,
    review_lead:
      'このアプリは「現在」の内容で許可されています。名前とロゴは同意のページに表示され、リダイレクト URI はログインの結果を受け取ります。同じアプリのものか確かめてください。',
    now: '現在',
    wanted: '許可後',
    new_logo: '新しいロゴ',
    added: '追加',
    removed: '削除',
  },
};

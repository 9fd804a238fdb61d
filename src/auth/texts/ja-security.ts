import type { Texts } from './en.ts';

export const security: Texts['security'] = {
  title: 'パスキーと二要素認証',
  lead: 'パスキーを使うと、端末の指紋認証、顔認証、または PIN で、パスワードなしでログインできます。認証アプリを設定すると、パスワードに加えてコードも必要になります。',
  none: '設定していません。パスワードだけでログインできます。',
  summary: (passkeys, app, codes) =>
    [passkeys === 0 ? '' : `パスキー ${passkeys} 個`, app ? '認証アプリ' : '', `回復コード ${codes} 個`]
      .filter((part) => part !== '')
      .join(' · '),
  wait: (from) =>
    `メールのリンクからのログイン、またはメールアドレスの変更から、まだ 1 日たっていません。最初のパスキーや認証アプリは ${from} から追加できます。メールを盗み見た人に、アカウントを奪われないようにするためです。`,
  saved: '保存しました。',
  passkey_removed: 'パスキーを削除しました。ほかの端末からはログアウトしました。メールでもお知らせします。',
  app_removed: '認証アプリを削除しました。ほかの端末からはログアウトしました。メールでもお知らせします。',
  back: 'パスキーと二要素認証に戻る',

  passkeys: 'パスキー',
  no_passkeys: 'ありません。',
  no_passkeys_here: 'このアドレスではパスキーを使えません。ドメイン名と HTTPS が必要です。',
  created: (time) => `追加 ${time}`,
  used: (time) => `最終利用 ${time}`,
  unused: '未使用',
  synchronised: '同期',
  add_passkey: 'パスキーを追加',
  passkey_name: 'パスキーの名前',
  passkey_name_hint: '「スマートフォン」など、見分けやすい名前にしてください。',
  passkey_name_length: (max) => `1～${max} 文字で入力してください。`,
  new_passkey_name: 'パスキー',
  add_passkey_lead:
    '端末が指紋認証、顔認証、または PIN の入力を求め、パスキーを保存します。セキュリティキーや、QR コードでスマートフォンも使えます。',
  create_passkey: 'パスキーを作成する',
  too_many_passkeys: (max) => `パスキーは ${max} 個までです。先に 1 つ削除してください。`,
  rename: { label: '名前を変更', named: (passkey) => `名前を変更：${passkey}` },
  rename_title: 'パスキーの名前の変更',
  remove: { label: '削除', named: (what) => `削除：${what}` },
  remove_passkey_title: (name) => `パスキー「${name}」を削除しますか？`,
  remove_passkey_lead:
    'このパスキーではログインできなくなります。端末には残ることがありますので、端末でも削除してください。',
  remove_last:
    'これが最後の要素です。削除すると、パスワードだけでログインできるようになり、回復コードは使えなくなります。',
  remove_app_title: '認証アプリを削除しますか？',
  remove_app_lead: 'アプリのコードは使えなくなります。アプリの項目も削除してください。',

  app: '認証アプリ',
  no_app: '設定していません。スマートフォンのアプリが、通信なしで 30 秒ごとに新しいコードを表示します。',
  set_up_app: 'アプリを設定',
  replace_app: '別のアプリを設定',
  app_title: '認証アプリの設定',
  app_scan: 'アプリで次の QR コードを読み取ってください。',
  app_open: 'この端末のアプリで開く',
  app_type: 'または、次のキーをアプリに入力してください。',
  qr: 'キーの QR コード',
  app_replaces: '今お使いのアプリは、このアカウントでは使えなくなります。',
  app_code: 'アプリに表示されたコード',
  app_code_hint: '6 桁の数字です。確認が済むと有効になります。',
  app_code_wrong: 'アプリに現在表示されているコードと違います。スマートフォンの時計が合っているか確認してください。',
  app_submit: 'アプリを確認する',

  codes: '回復コード',
  codes_lead: 'パスキーやアプリのコードの代わりに、パスワードと一緒に一度だけ使えます。',
  no_codes: '最初のパスキーまたは認証アプリを追加すると、10 個表示されます。',
  codes_left: (left, all) => `${all} 個のうち ${left} 個が残っています。`,
  codes_few: (left) =>
    left === 0
      ? '残っていません。端末をなくしたときにログインできるよう、新しいコードを作成してください。'
      : `残り ${left} 個です。早めに新しいコードを作成してください。`,
  new_codes: '新しいコードを作成',
  new_codes_title: '新しい回復コードを作成しますか？',
  new_codes_lead: '今のコードは使えなくなります。',
  codes_title: '回復コード',
  passkey_added: 'パスキーを追加しました。ほかの端末からはログアウトしました。メールでもお知らせします。',
  app_added: '認証アプリを設定しました。ほかの端末からはログアウトしました。メールでもお知らせします。',
  codes_made: '新しい回復コードです。以前のコードは使えなくなりました。',
  codes_once:
    'この端末がなくても見られるように、紙などに控えてください。端末をなくしたときは、コード 1 個とパスワードでログインできます。表示されるのは今だけです。',
  codes_download: 'テキストでダウンロード',
  codes_done: '控えました',
  codes_file: (network, name, date) =>
    `${network} のアカウント ${name} の回復コード（${date} 作成）。それぞれ、パスワードと一緒に一度だけ使えます。`,

  confirm_title: 'ご本人の確認',
  confirm_lead:
    'パスキー、二要素認証、メールアドレス、パスワードを変更する前と、アカウントを削除する前に確認します。5 分間有効です。',
  confirm_passkey: 'パスキーを使う',
  confirm_or: 'または、パスワードとコードで確認します。',
  code: 'アプリのコード、または回復コード',
  recovery_code: '回復コード',
  code_wrong: 'パスワードかコードが違うか、すでに使われたコードです。',
  mail_code_lead: (email) => `二要素認証がまだ設定されていないため、${email} に送るコードも確認します。`,
  mail_code_send: 'コードを送る',
  mail_code_again: 'もう一度コードを送る',
  mail_code: 'メールのコード',
  mail_code_sent: (email) => `${email} にコードを送ります。このブラウザで 10 分間有効です。`,
  staff_code: 'サーバーで作られたコード',
  staff_code_lead:
    'あなたはスタッフで、二要素認証がまだ設定されていないため、コードも確認します。コードはネットワークのサーバーを管理している方がコマンド「scorehall account factor-code」で作り、直接お渡しします。1 時間以内に 1 回だけ使えます。',
  confirm: '確認する',

  passkey_texts: {
    script: 'パスキーを使うには JavaScript が必要です。',
    unsupported: 'このブラウザは古いため、パスキーを使えません。',
    failed:
      'パスキーは使われませんでした。キャンセルされたか、時間切れか、この端末にこのアカウントのパスキーがありません。',
    exists: 'この端末またはセキュリティキーには、すでにこのアカウントのパスキーがあります。',
  },
  passkey_refused: 'このパスキーは確認できませんでした。ページを再読み込みして、もう一度お試しください。',
};

import type { factor_mails as mails, second_factor as page } from './en-second-factor.ts';

export const second_factor: typeof page = {
  title: '2 段階目の確認',
  lead: (name) => `${name} さん、あと 1 段階です。`,
  passkey: 'パスキーを使う',
  or: 'またはコードで確認：',
  code: 'アプリのコード、または回復コード',
  recovery_code: '回復コード',
  code_hint: '認証アプリの 6 桁の数字、または保管している 10 個のコードのうちの 1 つ。',
  recovery_hint: '保管している 10 個のコードのうちの 1 つ。',
  submit: 'ログイン',
  again: '最初からやり直す',
  wrong: 'コードが間違っているか、すでに使われています。',
  blocked:
    '今日は間違ったコードが多すぎます。明日まで、パスキーか回復コードでのみログインできます。アカウントの持ち主にメールでお知らせしました。',
  no_passkeys_here: 'このアドレスではパスキーを使えません。コードを使ってください。',
  with_passkey: 'パスキーでログイン',
  passkey_refused: 'このパスキーではログインできませんでした。もう一度試すか、パスワードを使ってください。',
};

export const factor_mails: typeof mails = {
  passkey_cloned_subject: '複製されたパスキーを拒否しました',
  passkey_cloned: (name) =>
    `パスキー「${name}」の複製が使われました（署名の回数が元のパスキーより少ないため分かりました）。ログインはされていません。このパスキーを削除し、新しいものを追加してください。`,
  recovery_code_used_subject: '回復コードが使われました',
  recovery_code_used: (left) =>
    `回復コードの 1 つが入力されました。このコードはもう使えません。残りは ${left} 個です。ご本人の操作であれば、なくなる前に新しいコードを作成してください。`,
  codes_guessed_subject: '誰かがあなたのパスワードを知り、コードを推測しています',
  codes_guessed:
    '誰かがあなたのパスワードを入力した後、間違ったコードを何度も入力しました。ログインはされていません。明日まで、あなたがお使いのブラウザ以外では、パスキーか回復コードが必要です。今すぐ新しいパスワードを設定してください：',
  factor_code_subject: '確認コード',
  factor_code: 'パスキーまたは認証アプリを追加するには、パスワードと一緒に次のコードを入力してください。',
  factor_code_warning:
    '10 分間有効です。心当たりがない場合は、ほかの人がアカウントにログインしています。新しいパスワードを設定してください。',
  factors_subject: 'アカウントのログイン方法が変更されました',
  passkey_added: (name) => `パスキー「${name}」がアカウントに追加されました。ほかの端末からはログアウトされました。`,
  passkey_removed: 'アカウントからパスキーが削除されました。ほかの端末からはログアウトされました。',
  app_added: 'アカウントに認証アプリが設定されました。ほかの端末からはログアウトされました。',
  app_removed: 'アカウントの認証アプリが解除されました。ほかの端末からはログアウトされました。',
  codes_renewed: '新しい回復コードが作成され、以前のコードは使えなくなりました。ほかの端末からはログアウトされました。',
};

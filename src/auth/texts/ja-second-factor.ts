import type { second_factor as page } from './en-second-factor.ts';

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

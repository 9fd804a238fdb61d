import type { factor_mails as mails, second_factor as page } from './en-second-factor.ts';

export const second_factor: typeof page = {
  title: '2 段階目の確認',
  lead: (name) => `${name} さんのパスワードを確認しました。続けて、ご本人であることを確認します。`,
  lead_mail: (name) => `${name} さんのリンクを確認しました。続けて、ご本人であることを確認します。`,
  passkey: 'パスキーを使う',
  or: 'またはコードで確認：',
  code: 'アプリのコード、またはリカバリーコード',
  recovery_code: 'リカバリーコード',
  code_hint: '認証アプリの 6 桁の数字、または保管している 10 個のコードのうちの 1 つ。',
  recovery_hint: '保管している 10 個のコードのうちの 1 つ。',
  submit: 'ログイン',
  again: '最初からやり直す',
  wrong: 'コードが間違っているか、すでに使われています。',
  blocked:
    '今日は間違ったコードが多すぎます。明日まで、パスキーかリカバリーコードでのみログインできます。アカウントの持ち主にメールでお知らせしました。',
  no_passkeys_here: 'このアドレスではパスキーを使えません。コードを使ってください。',
  passkey_texts: {
    script: 'パスキーを使うには JavaScript が必要です。',
    unsupported: 'このブラウザは古いため、パスキーを使えません。',
    failed:
      'パスキーは使われませんでした。キャンセルされたか、時間切れか、この端末にこのアカウントのパスキーがありません。',
    exists: 'この端末またはセキュリティキーには、すでにこのアカウントのパスキーがあります。',
  },
  with_passkey: 'パスキーでログイン',
  passkey_refused: 'このパスキーではログインできませんでした。もう一度試すか、パスワードを使ってください。',
};

export const factor_mails: typeof mails = {
  passkey_added_subject: 'パスキーが追加されました',
  passkey_added: (name) =>
    `パスキー「${name}」でアカウントにログインできるようになりました。ほかの端末はすべてログアウトされました。`,
  passkey_removed_subject: 'パスキーが削除されました',
  passkey_removed: (name) =>
    `パスキー「${name}」ではログインできなくなりました。ほかの端末はすべてログアウトされました。`,
  passkey_cloned_subject: '複製されたパスキーを拒否しました',
  passkey_cloned: (name) =>
    `パスキー「${name}」の複製が使われました（署名の回数が元のパスキーより少ないため分かりました）。ログインはされていません。このパスキーを削除し、新しいものを追加してください。`,
  app_added_subject: '認証アプリが設定されました',
  app_added:
    '今後、パスワードの後に認証アプリのコードを入力していただきます。ほかの端末はすべてログアウトされました。',
  app_removed_subject: '認証アプリが解除されました',
  app_removed: '認証アプリのコードは使えなくなりました。ほかの端末はすべてログアウトされました。',
  codes_made_subject: '新しいリカバリーコードが作られました',
  codes_made: '新しい 10 個のリカバリーコードが作られました。古いコードは使えません。',
  codes_guessed_subject: '誰かがあなたのパスワードを知り、コードを推測しています',
  codes_guessed:
    '誰かがあなたのパスワードを入力した後、間違ったコードを何度も入力しました。ログインはされていません。明日まで、あなたがお使いのブラウザ以外では、パスキーかリカバリーコードが必要です。今すぐ新しいパスワードを設定してください：',
  factor_code_subject: '2 段階認証の確認コード',
  factor_code: (minutes) =>
    `最初のパスキーまたは認証アプリを追加するには、コードを求めたページに次のコードを入力してください。コードを求めたブラウザで ${minutes} 分間有効です：`,
  factor_code_not_you:
    '心当たりがない場合は、誰かがあなたのパスワードを知っています。コードを誰にも教えず、すぐに新しいパスワードを設定してください：',
};

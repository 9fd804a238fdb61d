import type { keep_factors as en } from './en-factor-resets.ts';

/** The Japanese texts about the reset of second factors by staff. */
export const keep_factors: typeof en = {
  title: '二要素認証をそのまま使いますか？',
  lead: (name) =>
    `ネットワークのスタッフに、アカウント ${name} のパスキー、認証アプリ、回復コードの削除が依頼されました。心当たりがない場合は取りやめてください。`,
  submit: '削除を取りやめる',
  waiting: (time) =>
    `ネットワークのスタッフへの依頼により、パスキー、認証アプリ、回復コードが ${time} に削除されます。依頼したのがあなたでない場合は取りやめてください。`,
  which:
    '取りやめるには、依頼の 7 日以上前に追加した、最も新しいもの以外の二要素認証で確認してください。最も新しいものは、ほかの人が追加した可能性があるためです。ほかにない場合は、メールのリンクを使うか、ネットワークのスタッフに連絡してください。',
  done_title: '何も削除されません',
  done: '二要素認証はそのまま使えます。削除を依頼していない場合は、運営者に知らせてください。',
};

import type { changes as en } from './en-changes.ts';

/** The Japanese texts about a new name, logo or Redirect URIs that wait for an operator. */
export const changes: typeof en = {
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
    name: '名前',
    redirect_uris: 'リダイレクト URI',
    logo: 'ロゴ',
    new_logo: '新しいロゴ',
    added: '追加',
    removed: '削除',
    done_waits: '保存しました。新しい名前、ロゴ、リダイレクト URI は、運営者の確認を待っています。',
  },
};

import type { mail as en } from './en-mail.ts';

/** The Japanese texts of the mails. */
export const mail: typeof en = {
  mail: {
    hello: (name) => `${name} さん`,
    subject: {
      approved: (application) => `許可されました：${application}`,
      refused: (application) => `許可されませんでした：${application}`,
    },
    approved: {
      access: (application) => `${application} はデータ API を利用できるようになりました。`,
      limit: (application) => `${application} の上限が引き上げられました。`,
    },
    refused: {
      access: (application) => `${application} のデータ API の利用申請は却下されました。`,
      limit: (application) => `${application} の上限引き上げの申請は却下されました。`,
    },
    note: '運営者からの連絡：',
    invited_subject: (application) => `${application} の所有者への招待`,
    invited: (by, application) =>
      `${by} さんが、アプリ ${application} の所有者になるよう招待しています。承諾すると、アプリを変更できるようになり、ログインする人にあなたの名前が表示されます。14 日以内にコンソールで回答してください。回答しなければ何も起こりません。`,
    owner_subject: (application) => `${application} の所有者になりました`,
    owner: (application) =>
      `運営者があなたをアプリ ${application} の所有者にしました。ログインする人にあなたの名前が表示されます。望まない場合は、アプリの設定で自分を外してください。`,

    reset_subject: '新しいパスワードの設定',
    reset:
      'ネットワークの運営者が、新しいパスワードを設定するためのリンクをお送りしました。使えるのは 1 回だけ、1 日間です。',
    paper_subject: '運営者がパスワードの再設定をお手伝いしています',
    paper:
      'ネットワークの運営者が、あなたのアカウントに新しいパスワードを設定するためのリンクを作りました（直接お渡しするものです）。心当たりがない場合は、すぐに運営者へお知らせください。',
    factors_subject: '二要素認証が削除されます',
    factors: (time) =>
      `ネットワークのスタッフに、あなたのパスキー、認証アプリ、回復コードの削除が依頼されました。${time} に削除されます。心当たりがない場合は、次のリンクまたはアカウントのページから取りやめてください。`,
    factors_elsewhere: (time) =>
      `ネットワークのスタッフに、あなたのパスキー、認証アプリ、回復コードの削除が依頼されました。${time} に削除されます。メールアドレスが最近変更されたため、取りやめるためのリンクは以前のアドレスに送りました。アカウントのページでも、最も新しいもの以外の二要素認証を使って取りやめられます。`,
    factor_code_subject: '二要素認証のコードが作られました',
    factor_code:
      'ネットワークのサーバーで、あなたのアカウントにパスキーまたは認証アプリを追加するためのコードが作られました（1 時間有効）。コードは直接お渡しします。心当たりがない場合は、すぐに運営者へ知らせてください。',
    factor_code_reset:
      'ネットワークのサーバーで、あなたのパスキー、認証アプリ、回復コードが削除され、すべてのブラウザからログアウトし、新しく追加するためのコードが作られました（1 時間有効）。コードは直接お渡しします。心当たりがない場合は、すぐに運営者へ知らせてください。',
    verify_subject: 'メールアドレスの確認',
    verify: 'このリンクを開いて、このアドレスがあなたのものであることを確認してください。1 日間使えます。',
    address_subject: '新しいメールアドレスの確認',
    address:
      'ネットワークの運営者が、このアドレスをあなたのアカウントに登録するよう依頼を受けました。このリンクを開いて確認してください。1 日間使えます。',
    address_changing_subject: 'メールアドレスの変更手続き中です',
    address_changing: (email) =>
      `ネットワークの運営者が、あなたのアカウントのメールアドレスを ${email} に変更しようとしています。依頼した覚えがない場合は、すぐに運営者へお知らせください。`,
    address_changed_subject: 'メールアドレスが変更されました',
    address_changed: (email) =>
      `ネットワークの運営者が、あなたのアカウントのメールアドレスを ${email} に変更しました。以前のアドレスへのメールはこれが最後です。依頼した覚えがない場合は、すぐに運営者へお知らせください。`,

    operator: {
      requests_subject: (count) => `回答待ちの申請が ${count} 件あります`,
      requests: '次のアプリが回答を待っています。',
      request: (application, by) => `${application}（申請者：${by}）`,
      silent_subject: (count) => `${count} 台のゲームサーバーから応答がありません`,
      silent: '次のゲームサーバーから信号が届かなくなりました。',
      silent_server: (name, since) => `${name}（最後の信号：${since}）`,
      silent_hint: 'このメールは、応答がなくなるたびに 1 通届きます。使わなくなったサーバーは削除してください。',
      refusals_subject: 'イベントが拒否されています',
      refusals: 'この 10 分間に、次のゲームサーバーのイベントが数多く拒否されました。',
      refusing_server: (name, count, reason) => `${name}：${count} 件、最も多い理由：${reason}`,
      footer: 'このメールは、ネットワークの運営者にお送りしています。',
    },
  },
};

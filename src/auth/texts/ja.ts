import type { Texts } from './en.ts';
import { second_factor } from './ja-second-factor.ts';
import { keep_factors } from './ja-factor-resets.ts';
import { security } from './ja-security.ts';

export const ja: Texts = {
  security,
  lang: 'ja',
  skip: '本文へ移動',
  contact: 'お問い合わせ',
  back: '戻る',
  cancel: 'キャンセル',
  continue: '続ける',
  save: '保存する',
  change: '変更',
  current_password: '現在のパスワード',
  current_password_hint: 'この端末を使うほかの人による変更を防ぐためです。',
  password_hint: (min) => `${min} 文字以上。いくつかの単語を組み合わせると安全です。`,
  mail_state: {
    link: '1 分たっても届かない場合は、メールの送信状況をご確認ください',
    title: 'メールの送信状況',
    works:
      'メールサーバーは正常に応答しています。迷惑メールフォルダーと、入力したメールアドレスを確認してから、もう一度お試しください。',
    fails:
      '現在メールサーバーが応答していないため、メールが届くまで時間がかかることがあります。10 分たっても届かない場合は、もう一度お試しください。',
  },
  expired_title: 'このリンクは使えません',
  expired: 'すでに使われたか、新しいリンクが送られたか、有効期限が切れています。',

  errors: {
    required: '入力してください。',
    credentials: '名前、メールアドレス、またはパスワードが違います。',
    too_many_attempts: '試行回数が多すぎます。15 分ほど待ってから、もう一度お試しください。',
    name_shape: '3～16 文字の英数字またはアンダースコア（A–Z、0–9、_）を使ってください。',
    name_taken: (name) =>
      `${name} はすでに使われているか、ネットワークのプレイヤーの名前です。ご本人の場合は、ゲームアカウントを連携すると、この名前になります。`,
    email_shape: 'メールアドレスの形式が正しくありません。',
    email_same: 'すでにこのアドレスが登録されています。',
    password_short: (min) => `${min} 文字以上にしてください。`,
    password_long: '長すぎます。',
    password_easy: '推測されやすいパスワードです。いくつかの単語を組み合わせるなどしてください。',
    password_common:
      'よく使われているパスワードで、最初に試されるものです。いくつかの単語を組み合わせるなどしてください。',
    password_breached:
      'ほかのサービスから流出したパスワードの一覧に載っており、最初に試されるものです。別のパスワードにしてください。',
    last_operator: 'あなたはこのネットワークの最後の運営者です。先にほかの人を運営者にしてください。',
    password_wrong: '現在のパスワードが違います。',
    form: 'このフォームは当サイトのページから送られたものではありません。戻ってページを再読み込みし、もう一度送信してください。',
    body: 'フォームを読み取れませんでした。',
    busy: 'ただいま混み合っています。少し待ってから、もう一度お試しください。',
  },

  sign_in: {
    title: 'ログイン',
    lead: (app) => `${app} に進みます`,
    login: '名前またはメールアドレス',
    password: 'パスワード',
    submit: 'ログイン',
    forgot: 'パスワードをお忘れですか？',
    register: 'アカウントを作成',
    again: (name) => `${name} さんご本人であることを確認します。`,
    other: '別のアカウントを使う',
    reset_done: '新しいパスワードを設定しました。ログインしてください。',
    deleted: 'アカウントを削除しました。',
  },

  sign_in_link: {
    blocked:
      'このアカウント、またはお使いのネットワークから、誤ったパスワードが何度も入力されたため、今回は確認していません。1 時間ほど待つか、アカウントのメールアドレスに届くリンクでログインしてください。',
    send: 'リンクを送る',
    sent_title: 'メールをご確認ください',
    sent: '該当するアカウントがあれば、そのメールアドレスに、この 10 分以内に送られたリンクが届いています。1 時間有効です。',
    title: 'ログイン',
    lead: (name) => `このブラウザで、アカウント ${name} にログインしますか？`,
    submit: 'ログイン',
  },

  select_account: {
    title: (name) => `アカウント ${name} を使いますか？`,
    submit: (name) => `${name} として続ける`,
  },

  consent: {
    title: (app) => `${app} がアカウントへのアクセスを求めています`,
    signed_in: (name) => `${name} としてログインしています。`,
    owners: (names) => `このアプリの所有者：${names}`,
    own: (network) => `${network} 自体の機能です。`,
    no_owner: (network) => `所有者のアカウントはなく、${network} の運営者が管理しています。`,
    sees: '許可すると、このアプリは次のことができます。',
    openid: '次回の利用時に同じ利用者だと識別する',
    profile: '名前、ゲームアカウントとそのプロフィールページ、BAN の有無を見る。ご自身のゲームデータを読む',
    email: 'メールアドレスを見る',
    goes_to: (place) => `このあと ${place} に移動します。`,
    on_device: 'このあと、この端末のアプリに移動します。',
    end: 'アカウントページでいつでも取り消せます。',
    allow: '許可する',
    other: 'ご本人ではありませんか？',
  },

  link: {
    title: 'ゲームアカウントの連携',
    lead: 'ゲームアカウントでネットワークに参加し、チャットに次のように入力してください。',
    command: (code) => `/link ${code}`,
    valid: (minutes) => `コードは ${minutes} 分間、一度だけ使えます。`,
    warning: '他人から送られたコードは決して入力しないでください。ゲームアカウントがその人のものとして扱われます。',
    check: '入力しました',
    follows: '入力が確認されると、このページは自動で進みます。',
    not_yet: 'まだコードが入力されていません。反映に少し時間がかかることがあります。',
    needed: (app) => `${app} の利用にはゲームアカウントの連携が必要です。`,
    done: (name) => `${name} と連携しました。`,
    unlink_title: 'ゲームアカウントの連携を解除しますか？',
    unlink_lead: (name) =>
      `アプリからは ${name} があなたであることがわからなくなります。名前はゲームアカウントに残り、別の名前を選べます。`,
    unlink: '連携を解除する',
  },

  register: {
    title: 'アカウントの作成',
    name: '名前',
    name_hint:
      'ここで遊んでいる方は、ゲーム内の名前を入力してください。すでに使われている名前には文字を追加します。ゲームアカウントを連携すると元の名前になります。',
    email: 'メールアドレス',
    email_hint: '確認のリンクを送ります。その後は、アカウントに関するお知らせだけを送ります。',
    password: 'パスワード',
    submit: 'アカウントを作成する',
    have: 'すでにアカウントをお持ちの方',
    closed_title: '登録を受け付けていません',
    closed: '新しいアカウントはネットワークの運営者が作成します。',
    sent_title: 'メールをご確認ください',
    sent: (email) =>
      `${email} にリンクを送りました。開いて登録を完了してください。届かない場合は、迷惑メールもご確認ください。`,
    confirm_title: '登録の完了',
    confirm: (name) => `${name} さんのアカウントを作成しますか？`,
    confirm_other: (email) =>
      `${email} を登録したブラウザとは別のブラウザです。ここでパスワードを決めてください。登録時に入力されたパスワードは使われません。`,
  },

  verify: {
    title: 'メールアドレスの確認',
    lead: (email, name) =>
      `${email} はあなたのアドレスで、${name} はあなたのアカウントですか？両方とも自分のものである場合だけ確認してください。アプリにはこのアドレスが表示されます。`,
    submit: 'はい、確認する',
    done_title: 'ありがとうございます',
    done: (email) => `${email} を確認しました。`,
    taken: 'このアドレスは別のアカウントで使われています。',
  },

  undo_email: {
    title: '変更を取り消しますか？',
    lead: (name, email) => `アカウント ${name} のメールアドレスを、以前の ${email} に戻します。`,
    lead_factor: (name) =>
      `アカウント ${name} に最初に追加されたパスキーまたは認証アプリと、その後に追加されたものを削除します。`,
    effect:
      'すべての端末からログアウトし、アプリのアクセスを終了します。最初の二要素認証が、変更の 7 日前以降に追加された場合は、パスキーと認証アプリを削除します。今のパスワードは使えなくなります。続けて新しいパスワードを設定してください。',
    submit: '変更を取り消す',
  },

  keep_factors,

  forgot: {
    title: 'パスワードをお忘れですか？',
    lead: '名前またはメールアドレスを入力してください。リンクを送ります。',
    login: '名前またはメールアドレス',
    submit: 'リンクを送る',
    sent_title: 'メールをご確認ください',
    sent: '該当するアカウントがあれば、登録されたメールアドレスにリンクを送りました。1 時間有効です。',
    reset_title: '新しいパスワードの設定',
    reset_lead: (name) => `アカウント ${name} のパスワードです。ログイン中のすべての端末からログアウトされます。`,
    new_password: '新しいパスワード',
    submit_new: '設定する',
  },

  account: {
    title: 'アカウント',
    profile: 'プロフィール',
    name: '名前',
    name_linked: 'ゲームアカウントの名前に従います。',
    name_provisional: '仮の名前です。この名前のゲームアカウントを連携するか、別の名前を選んでください。',
    email: 'メールアドレス',
    verified: '確認済み',
    unverified: '未確認',
    send_verify: '確認のリンクを送る',
    verify_sent: (email) => `${email} にリンクを送りました。`,
    game: 'ゲームアカウント',
    no_game: '連携していません。連携すると、アプリがプレイの記録を表示できます。',
    link: '連携する',
    unlink: '解除する',
    password: 'パスワード',
    password_lead: '変更すると、ほかの端末からはログアウトされます。',
    sessions: 'ログイン中のブラウザ',
    this_session: 'このブラウザ',
    unknown_browser: '不明なブラウザ',
    session: (since, seen, address) => `${since} から · 最終利用 ${seen} · ${address}`,
    end_session: { label: 'ログアウト', named: (browser) => `ログアウト：${browser}` },
    end_access: { label: 'アクセスを取り消す', named: (application) => `アクセスを取り消す：${application}` },
    end_others: 'ほかをすべてログアウト',
    applications: '連携しているアプリ',
    no_applications: 'ありません。',
    zone: (zone) => `時刻は ${zone}`,
    last_read: (timestamp) => `最後にデータを読んだ日時：${timestamp}`,
    application: (since, used) => `${since} から · 最終ログイン ${used}`,
    scopes: { openid: '本人の識別', profile: 'プロフィールとご自身のゲームデータ', email: 'メールアドレス' },
    data: 'あなたのデータ',
    export: 'アカウントの全データをダウンロード',
    export_hint: 'JSON ファイルです。',
    delete: 'アカウントを削除',
    sign_out: 'ログアウト',
    saved: '保存しました。',
    ended: '取り消しました。もうアクセスできません。',
    session_ended: 'そのブラウザからログアウトしました。',
    name_title: '名前の変更',
    email_title: 'メールアドレスの変更',
    email_lead: '新しいアドレスにリンクを送ります。開くと変更されます。',
    new_email: '新しいメールアドレス',
    password_title: 'パスワードの変更',
    new_password: '新しいパスワード',
    delete_title: 'アカウントを削除しますか？',
    delete_lead: 'アカウントは、ログイン状態とすべてのアプリのアクセスとともに、ただちに削除されます。元に戻せません。',
    delete_applications: (names: string) =>
      `次のアプリはほかに所有者がいないため、ただちに停止し、運営者に引き継がれます：${names}。先にコンソールで削除するか、所有者を追加してください。`,
    delete_matches:
      '試合はほかの人の試合でもあるため残りますが、本人を特定できない仮の名前と UUID になります。そのゲームアカウントのその後のプレイも、新しいアカウントに連携するまで同じ仮の名前になります。',
    delete_submit: '完全に削除する',
  },

  sign_out: {
    title: 'ログアウトしますか？',
    lead: (app) => `${app} から、こちらでもログアウトするかの確認です。`,
    lead_alone: 'このブラウザからログアウトします。',
    yes: 'ログアウトする',
    no: 'ログインしたままにする',
    done_title: 'ログアウトしました',
    done: 'このブラウザからログアウトしました。アプリ側ではログインしたままのことがあります。',
    other_title: '別のアカウントでログイン中です',
    other: 'このブラウザは別のアカウントでログインされました。続けると、ログアウトして選んだアカウントを使います。',
    sign_in: 'もう一度ログイン',
  },

  problem: {
    leaving: (place) =>
      `このアプリの要求には対応していません。このアプリをここで使うのは初めてのため、元のページに戻る前に確認しています。移動先は ${place} です。`,
    leave: (place) => `${place} に移動`,
    title: 'うまくいきませんでした',
    client:
      'アプリからの要求に誤りがあるか、リンクが書き換えられています。安全を確認できないため、アプリには戻していません。',
    too_many: '同じネットワークから 1 時間以内に始められたログインが多すぎます。しばらくしてからやり直してください。',
    suspended: '呼び出し元のアプリは停止されています。現在、責任を持つ所有者がいません。',
    expired_title: 'このページの有効期限が切れました',
    expired: '1 時間以上経過したか、別のタブで続けられました。アプリに戻って最初からやり直してください。',
    expired_at: (app) =>
      `${app} へのログインを始めてから 1 時間以上経過したか、別のタブで続けられました。${app} に戻って最初からやり直してください。`,
    back_to: (app, place) => `${app}（${place}）に戻る`,
    server: 'サーバーで問題が発生しました（記録しました）。少し待ってから、もう一度お試しください。',
    detail: '開発者向けの情報：',
    not_found_title: 'ページが見つかりません',
    not_found: 'アドレスが間違っている可能性があります。',
    to_account: 'アカウントページへ',
  },

  second_factor,
};

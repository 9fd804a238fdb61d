import type { Texts } from './en.ts';
import { counters } from './ja-counters.ts';
import { jobs } from './ja-jobs.ts';
import { access } from './ja-access.ts';
import { help } from './ja-help.ts';
import { operator } from './ja-operator.ts';
import { servers } from './ja-servers.ts';
import { webhooks } from './ja-webhooks.ts';

/** The Japanese texts of the console. */
export const ja: Texts = {
  ...operator,
  counters,
  ...jobs,
  ...access,
  ...help,
  webhooks,
  ...servers,
  lang: 'ja',
  console: 'コンソール',
  skip: '本文へ移動',
  developers: '開発者ガイド',
  account: 'アカウント',
  signed_in_as: 'ログイン中：',
  sign_out: 'ログアウト',
  save: '保存する',
  cancel: 'キャンセル',
  problem: '下の印のついた項目を直してください。',
  once: '表示されるのは今回だけです。いま控えてください。保存されるのはハッシュだけなので、二度と表示できません。',
  other: 'その他…',
  copy: 'コピー',
  copied: 'コピーしました',
  zone: (zone) => `時刻は ${zone}`,
  parts: { applications: 'アプリ', operator: '運営者', moderator: 'モデレーション' },
  tabs: { '': '概要', '/access': 'API の利用', '/usage': '利用状況', '/webhooks': 'Webhook', '/settings': '設定' },

  welcome: {
    title: (network) => `${network} で作る`,
    lead: 'アプリを登録すると Client ID が発行され、試合・マップ・プレイヤーのデータを読んだり、アカウントでのログインを組み込んだりできます。',
    sign_in: 'ログインして始める',
    guide: '先にガイドを読む',
    steps: [
      ['登録する。', '名前、種類、ログイン後の戻り先を入力します。'],
      ['利用を申請する。', '何を作るかを書きます。すぐに許可されることもあります。'],
      ['API を呼び出す。', 'アプリのページに、貼り付けるだけのコマンドがあります。'],
    ],
  },

  sign_in: {
    declined_title: 'ログインしていません',
    declined: 'コンソールは本人確認以外の情報を受け取りません。',
    failed_title: 'ログインできませんでした',
    failed: '時間がかかりすぎたか、別のタブで始められたか、戻り先が変えられています。もう一度始めてください。',
    again: 'もう一度ログイン',
    detail: '原因：',
  },

  password_again: {
    title: 'ご本人を確認しました',
    lead: 'ネットワークやアカウント、アプリに対する権限を与える操作、または取り消せない操作のため、確認しました。まだ何も変更していません。10 分間は再び確認しません。',
    submit: '続ける',
  },

  done: {
    ...webhooks.done,
    again: 'ご本人を確認しましたが、まだ何も変更していません。もう一度フォームを送信してください。',
    registered: 'アプリを登録しました。',
    saved: '保存しました。',
    waits: '保存しました。新しい名前、ロゴ、リダイレクト URI は、運営者の確認を待っています。',
    withdrawn: '無効にしました。もう使えません。',
    deleted: 'アプリを削除しました。',
    invited: 'メールで招待しました。承諾されると所有者になります。',
    owns_enough: '所有できるアプリの数の上限に達しています。',
    asked: '申請を受け付けました。回答はメールで届きます。',
    approved: '許可されました。',
    refused: '却下しました。申請者にメールで知らせます。',
    stale: 'ログアウトしていたため、何も変更していません。ログインし直したので、もう一度送信してください。',
    gone: 'すでにほかの人が処理したため、変更するものがありません。',
    undecided: '何も変更していません。いずれかのボタンを選んでください。',
    bad_limit: '上限は 1 以上の整数か、空欄にしてください。',
    bad_logo: '256 KB 以内の PNG、JPEG、WebP 画像ではありません。',
    completed: '完了しました。',
    mailed: 'メールを送ります。',
    name_removed: '削除しました。試合などの記録も、まもなく現在の名前になります。',
    erased: '匿名にしました。記録はこの仮の名前で残ります。',
    merged: '統合しました。すべての記録がもう一方のプレイヤーのものになりました。',
    revoked: '取り消しました。',
  },

  errors: {
    home: 'コンソールへ',
    other_session: [
      'このページは別のログインのものです',
      'ページを開いたあとに、別のタブでログアウトしたか、アカウントを切り替えています。何も変更していません。ページを開き直してください。',
    ],
    not_operator: [
      '運営者専用のページです',
      'このアカウントは運営者のものではありません。必要な場合はネットワークの管理者に連絡してください。',
    ],
    status: {
      400: ['読み取れませんでした', 'フォームの内容が正しくありません。戻ってやり直してください。'],
      403: ['当サイトから送られたものではありません', '別のサイトから送られたフォームのため、何も変更していません。'],
      404: ['ここには何もありません', '削除されたか、存在しないか、あなたのものではありません。'],
      413: ['大きすぎます', 'ロゴは 256 KB 以内にしてください。'],
      429: ['1 時間あたりの操作回数を超えました', '何も変更していません。しばらくしてから続けてください。'],
      500: ['サーバーで問題が発生しました（記録しました）。', '少し待ってからお試しください。'],
      503: ['ただいま混み合っています', '少し待ってからお試しください。'],
    },
  },

  suspended: {
    badge: '停止中',
    why: {
      disabled: '所有者のアカウントがすべて停止されているため、停止しています。トークンは拒否されます。',
      deleted: '最後の所有者がアカウントを削除したため、停止しています。トークンは拒否されます。',
    },
  },
  access_states: {
    none: 'API 未申請',
    waiting: '運営者の回答待ち',
    approved: 'API 利用可',
    refused: '却下',
    revoked: '利用停止',
  },

  invitations: {
    title: '所有者への招待',
    hint: '同意画面には所有者の名前が表示されます。責任を持てるものだけを承諾してください。',
    by: (name: string) => `${name} からの招待`,
    accept: '承諾する',
    decline: '断る',
  },

  applications: {
    title: 'あなたのアプリ',
    register: 'アプリを登録',
    none: 'まだアプリがありません。最初のアプリを登録しましょう。1 分で終わります。',
    last_used: '最終利用',
    never_used: 'まだ使われていません',
  },

  application: {
    create: '登録する',
    verify_first: '先にアカウントのページでメールアドレスを確認してください。申請への回答はそこに届きます。',
    name: '名前',
    name_hint: 'アプリに情報を見せてよいか確認する画面で、利用者に表示されます。',
    type: '種類',
    types: {
      service: {
        label: 'サービス',
        hint: 'Client Secret を安全に保管できる自分のサーバーで動くもの。バックエンドのあるウェブサイトやボットなど。',
      },
      web: {
        label: 'ウェブ',
        hint: 'ブラウザの JavaScript だけで動くもの。誰でもコードを読めるため、シークレットはありません。',
      },
      installed: {
        label: 'インストール型',
        hint: '利用者の端末で動くプログラム。スマートフォンアプリ、デスクトップツール、ゲームの MOD など。こちらもシークレットはありません。',
      },
    },
    redirect_uris: 'リダイレクト URI',
    redirect_uris_hint:
      'ログイン後の戻り先を、アプリが送るとおりに 1 行に 1 つ入力します。https のほか、自分の端末では http://127.0.0.1 も使えます。ログインを使わないサービスでは不要です。',
    weak_scheme:
      'ほかのプログラムもこのスキームを使えます。お持ちのドメインを逆順にした、ドットを含むもの（com.example.app:/callback など）に変更してください。',
    post_logout_redirect_uris: 'ログアウト後のリダイレクト URI',
    post_logout_redirect_uris_hint:
      'リダイレクト URI とそのオリジンのトップページのほかに、ログアウト後に戻れる場所です。1 行に 1 つ入力します。',
    no_redirect_uris: 'なし。このアプリではログインできません。',
    require_pkce: 'PKCE を必須にする（推奨）',
    require_pkce_hint:
      'コードチャレンジのないログインを拒否し、盗まれたコードを無効にします。ほとんどのライブラリが対応しています。',
    rotate: '使うたびにリフレッシュトークンを更新する',
    rotate_hint:
      '毎回新しいリフレッシュトークンを保存するライブラリ向けです。古いものが再び使われると、そのログインは無効になります。',
    pkce_on: '必須',
    pkce_off: '任意です。設定で必須にすることをおすすめします。',
    identity: 'アプリの識別情報',
    secret_once: 'Client Secret',
    secrets: 'Client Secret',
    secrets_hint: '複数を同時に使えます。新しいものを作り、アプリを切り替えてから、古いものを無効にしてください。',
    secret_name: '新しいシークレットの名前',
    secret_name_hint: '「テスト用サーバー」など、使う場所がわかる名前です。',
    new_secret: 'シークレットを追加',
    made: '作成',
    withdraw: '無効にする',
    withdraw_title: (name) => `${name} の Client Secret を無効にしますか？`,
    withdraw_impact: '使用中のプログラムは新しいトークンを取得できなくなります。取得済みのトークンは引き続き有効です。',
    withdraw_last: '最後の Client Secret です。新しいものを作るまで、誰もこのアプリでログインできません。',
    logo: 'ロゴ',
    logo_file: '画像',
    logo_hint: '正方形の PNG、JPEG、WebP。256 KB 以内。',
    upload: 'アップロード',
    remove_logo: 'ロゴを削除',
    owners: '所有者',
    owners_hint: 'ここにいる全員が、アプリ、シークレット、所有者を変更できます。',
    owner: 'アカウント名',
    owner_hint: 'メールで招待し、承諾すると所有者になります。',
    add_owner: '所有者を追加',
    invited: '招待中',
    invited_until: '期限',
    uninvite: '取り消す',
    remove_owner: '外す',
    remove_owner_title: (name) => `${name} を所有者から外しますか？`,
    remove_owner_impact: 'このアプリのページを開けなくなります。',
    leave_title: (name) => `あなた自身を ${name} の所有者から外しますか？`,
    leave_impact: 'あなたはこのアプリのページを開けなくなります。',
    remove_owner_undo: '所有者は、もう一度招待できます。',
    owner_since: '追加',
    you: 'あなた',
    delete: 'このアプリを削除',
    delete_hint: 'この Client ID を使うものは、すべてすぐに動かなくなります。',
    delete_title: (name) => `${name} を削除しますか？`,
    delete_confirm: (name) => `確認のため「${name}」と入力してください`,
    delete_wrong: 'アプリの名前と一致しません。',
    breaks_people: (text, count) =>
      count === 0 ? '連携している人はいません。' : `${text} 人がこのアプリでログインできなくなります。`,
    breaks_tokens: (text, count) =>
      count === 0 ? '有効なトークンはありません。' : `${text} 個のトークンがすぐに無効になります。`,
    breaks_requests: (text, count) =>
      count === 0
        ? 'この 1 週間、データ API は使われていません。'
        : `この 1 週間に、データ API が ${text} 回使われました。`,
    breaks_for_good: 'Client ID は元に戻せません。',
    problems: {
      name: (max) => `1～${max} 文字の名前を入力してください。`,
      name_address:
        '名前にアドレス（@、://、example.org のようなホスト名）は使えません。ほかの人へのメールに載るためです。',
      type: '種類を選んでください。',
      no_uri: 'この種類には、リダイレクト URI が 1 つ以上必要です。',
      too_many_uris: (max) => `リダイレクト URI は ${max} 個までです。`,
      uri: (uri, rule) => `${uri}：${rule}。`,
      uri_rules: {
        too_long: '2000 文字以内にしてください',
        not_absolute: '絶対 URI にしてください',
        fragment: 'フラグメント（#）は使えません',
        credentials: 'ユーザー名やパスワードは含められません',
        unusual_host: 'ホストには英数字、ハイフン、アンダースコア、ドットだけを使ってください',
        plain_http: 'この端末の外では https にしてください',
        not_https: 'https にするか、127.0.0.1、[::1]、localhost の http にしてください',
        browser_scheme: 'ブラウザが自分で開くスキームは使えません',
        scheme_without_dot: 'com.example.app:/callback のように、ドットを含むスキームにしてください',
      },
      owner: (name) => `「${name}」というアカウントはありません。`,
      owner_already: (name) => `${name} はすでに所有者です。`,
      too_many_invitations: (most) => `招待は 1 日 ${most} 回までです。明日またお試しください。`,
      too_many: (most) =>
        `1 つのアカウントが所有できるアプリは ${most} 個までです。削除するか、運営者に連絡してください。`,
    },
  },

  usage: {
    title: '過去 7 日間',
    never: 'まだ使われていません。使うと数秒でここに表示されます。',
    streams: '開いている変更ストリーム',
    endpoints: 'エンドポイント別',
    endpoint: 'エンドポイント',
    unknown: '存在しないパス',
    numbers: '数値で見る',
    served: '応答',
    refused: '拒否（4xx、5xx）',
    over: '上限超過（429）',
    busiest: '最も多かった時間：',
    words: (requests, bad, limited) => `${requests} リクエスト、拒否 ${bad}、上限超過 ${limited}`,
    counters: { requests: 'リクエスト', client_errors: '4xx', limited: '429', server_errors: '5xx' },
  },
};

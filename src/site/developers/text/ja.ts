import type { Text } from './en.ts';
import { changes, lists, log } from './ja-feed.ts';

export const ja: Text = {
  copy: 'コピー',
  language: 'プログラミング言語',
  copied: 'コピーしました',
  pages: {
    start: 'クイックスタート',
    reference: 'リファレンス',
    signIn: 'ログイン',
    rules: '制限とエラー',
    lists: '検索と一覧',
    changes: '変更の追跡',
    webhooks: 'Webhook',
    ingest: 'ゲームサーバー',
    deprecation: '変更履歴',
  },
  nav: '開発者向け',
  start: {
    title: '開発者向け',
    lead: (network) =>
      `${network} のサーバー、試合、マップ、プレイヤー、処分の情報を JSON で取得できます。プレイヤーが持っているアカウントで、あなたのサイトやアプリにログインしてもらうこともできます。`,
    steps: '最初の応答まで',
    register:
      'コンソールでアプリケーションを登録すると、Client ID が発行されます。自分のサーバーで動くサービスには Client Secret も発行されます。データ API の利用もコンソールで申請してください。',
    console: 'コンソールを開く',
    after: '続いて、ターミナルで実行します。',
    credentials: 'トークンの種類',
    credentialColumns: ['使うもの', '読めるもの', '1 時間あたりのリクエスト'],
    credentialRows: (user, app, address) => [
      ['ログインした人のアクセストークン', '公開データと `players/me`', `1 人につき ${user}`],
      ['アプリケーションのアクセストークン', '公開データ', `アプリケーションごとに ${app}`],
      ['Client ID のみ', '公開データ', `アドレスごとに ${address}`],
    ],
    transport:
      'トークンは `Authorization: Bearer …` ヘッダーで送ります。ヘッダーを設定できない場合は `access_token` パラメーターで送れます。Client ID は `X-Client-ID` ヘッダーか `client_id` パラメーターで送ります。',
    onePlayer: 'プレイヤーを 1 人取得',
    browser: 'ブラウザから、Secret なしで',
    browserText:
      'データ API はすべてのオリジンのページに応答します（CORS）。Client ID は秘密ではありませんが、Client Secret をページやアプリに含めてはいけません。',
    client: 'クライアントライブラリから',
    clientText:
      'TypeScript・JavaScript（Node、Deno、Bun、ブラウザ）用のパッケージ `scorehall-client` は、ほかのパッケージに依存しません。トークンの取得と更新、上限に達する前の待機、一覧のページ送り、変更の追跡とデータベースへの複製、Webhook の検証を行います。ソースと README は Scorehall の `packages/client` にあり、Discord のボット、統計サイト、オーバーレイの例も含まれています。',
    generated: '自動生成したクライアントから',
    generatedText: [
      'OpenAPI 文書からクライアントを自動生成できます。`fields` は値をコンマで区切った 1 つのパラメーターです（`explode: false`）。`openapi-fetch` のように値ごとにパラメーターを繰り返しても、同じ一覧になります。',
      'hey-api のコードには、`tsconfig.json` の `lib` に `dom.iterable` が必要です。orval の関数はパスだけをリクエストするので、`baseUrl` で API のオリジンを指定し、各関数に `Authorization` ヘッダーを渡してください。',
    ],
  },
  reference: {
    lang: 'ja',
    title: 'データ API リファレンス',
    description: 'データ API のすべてのパス、パラメーター、フィールド、ヘッダー、ステータス。',
    lead: 'リクエストの振り分けと検査に使うものと同じ定義から作られています。説明は英語です。',
    document: 'OpenAPI 3.1 ドキュメント',
    contents: 'リファレンスの項目',
    application: 'あなたのアプリ',
    applicationText:
      'リクエストには Client ID が必要です。Client ID は公開情報で、「実行」は Client ID を送って公開データを読みます。トークンや Client Secret をフォームやアドレスに入れないでください。',
    use: '使う',
    signIn: 'ログインして自分のアプリを使う',
    register: 'アプリを登録する',
    credentials: 'リクエスト',
    credentialColumns: ['認証情報', '意味'],
    headers: 'ヘッダー',
    headerColumns: ['ヘッダー', '意味'],
    errors: 'エラー',
    schemas: 'スキーマ',
    parameters: 'パラメーター',
    answers: '応答',
    try: '試す',
    run: '実行',
    running: '応答を待っています…',
    unreachable: 'データ API から応答がありません。',
    deprecated: '廃止予定',
    required: '必須',
    optional: '省略される場合あり',
  },
  signIn: {
    title: 'OpenID Connect によるログイン',
    description: 'アプリケーションからログインしてもらう方法と、4 つの言語での例。',
    lead: 'OAuth 2.0 の認可コードフローと OpenID Connect です。認定済みのクライアントライブラリーなら、発行者のアドレスだけで設定できます。',
    flow: '手順',
    steps: [
      '`nonce` と `state` を生成し、その人のセッションに保存します。',
      'ブラウザを認可エンドポイントへ移動させます。`redirect_uri` は登録したものと完全に一致する必要があります。',
      'その人がログインして同意すると、`code` を持って戻ってきます。コードは 60 秒間、1 回だけ使えます。',
      'コードをアクセストークン（1 時間）、ID トークン、リフレッシュトークン（最後に使ってから 30 日）と交換します。`installed` と `web` では使うたびに新しくなり、古いものを使うとすべて無効になります。`service` では、交換するように設定しない限り同じものを使い続けます。',
      'ID トークンを検証します。発行者の鍵による署名、`iss`、`aud`、`exp`、そして `nonce` が自分のものであることを確認します。`tokeninfo` に渡して検証することもできます。',
      '`sub` で本人を識別します。詳しい情報は `userinfo` と、データ API の `players/me` から取得できます。',
    ],
    kinds: '3 種類のアプリケーション',
    types: [
      [
        'installed',
        '利用者の端末（スマートフォン、デスクトップ）で動きます。Secret はありません。カスタムスキーム、所有を確認した https、または任意のポートのループバックアドレスへ戻ります。PKCE を使ってください。',
      ],
      [
        'web',
        'ブラウザで動きます。Secret はありません。https へ戻ります。PKCE を使ってください。トークンエンドポイントを呼び出せるのは、登録したリダイレクト URI のオリジンのページだけです。',
      ],
      ['service', '自分のサーバーで動きます。Client Secret を HTTP Basic またはフォームで送ります。'],
    ],
    apps: 'アプリ',
    appsText:
      'ログイン画面は、アプリ内の表示ではなくシステムのブラウザで開きます。アプリのページ（`app://`、`tauri://localhost`、`capacitor://localhost`）は登録されたオリジンではなく、トークンエンドポイントを呼び出せません。コードの交換はページの外で行います。',
    appRows: [
      ['Electron', 'メインプロセスで交換します。コードは `open-url` または `second-instance` イベントで届きます。'],
      [
        'Tauri',
        'Rust で、または `@tauri-apps/plugin-http` の `fetch` で交換します。コードはディープリンクのプラグインで届きます。',
      ],
      ['Capacitor', '`CapacitorHttp.post` で交換します。コードは `appUrlOpen` イベントで届きます。'],
      [
        'スマートフォンアプリのあるサービス',
        '`service` に登録できるのは https だけです。アプリからサイトのログインを開き、サーバーがコードを交換したあと、コールバックからアプリのスキーム（`com.example.app:/done`）へ自前の使い捨てコードを付けて移動させます。アプリを `installed` として別に登録することもできます。`sub` はどちらでも同じです。',
      ],
    ],
    scopes: 'スコープ',
    scopeRows: [
      ['openid', '本人の識別子 `sub`'],
      [
        'profile',
        'プレイヤーの名前、UUID、ページ。データ API の `players/me` も利用できます。運営者が承認したアプリケーションには、BAN の有無（`banned`）も渡します',
      ],
      ['email', 'メールアドレスと、確認済みかどうか'],
      ['offline_access', '指定するライブラリのために受け付けます。指定しなくてもリフレッシュトークンを発行します'],
    ],
    examples: '4 つの言語によるログインの例',
    examplesText:
      'どれも完全なプログラムで、ログインした人の名前を表示します。Client ID、Client Secret、Redirect URI を入れて使ってください。',
    libraries: 'ライブラリの設定',
    librariesText:
      '名前とメールアドレスは userinfo から取得します。Auth.js では `idToken: false`、Passport では `skipUserProfile: false` を指定してください。厳密なライブラリでは、client credentials にも `scope=profile` が必要です。',
  },
  rules: {
    title: '制限、エラー、ページ送り',
    description: 'リクエスト数の制限、エラーの形式、一覧のページ送り、変更の確認方法。',
    limits: '制限',
    limitsText: '最初のリクエストから 1 時間を単位とします。エラーを含むすべての応答が現在の状態を示します。',
    limitHeaders: [
      ['X-RateLimit-Limit', '1 時間に許されるリクエスト数'],
      ['X-RateLimit-Remaining', '残りのリクエスト数'],
      ['X-RateLimit-Reset', 'リセットされる時刻（Unix 秒）'],
    ],
    limitsHead: ['認証の方法', '数える単位', '1 時間あたり'],
    limitRows: (user, application, address, server) => [
      ['利用者のアクセストークン', '利用者ごと（全アプリの合計）。独自の上限があるアプリはアプリごとに数えます', user],
      ['アプリのアクセストークン', 'アプリごと（独自の上限を持てます）', application],
      ['Client ID のみ', 'アドレスごと（IPv6 は /64）', address],
      ['ゲームサーバーのキー', 'ゲームサーバーごと', server],
      ['誤った認証情報', 'アドレスごと（ほかとは別に数えます）', address],
    ],
    ignored: 'エンドポイントにないクエリパラメーターは無視され、その名前が `X-Ignored-Parameters` に入ります。',
    over: '制限を超えると 429 と、待つべき秒数を示す `Retry-After` が返ります。制限の引き上げはコンソールで申請できます。',
    tokens: 'トークン',
    tokensText: (hourly, live) =>
      `呼び出しごとに新しいトークンを取得せず、有効期限まで使い回してください。アプリケーション自身のトークンは 1 時間に ${hourly} 個まで、1 人につきログインと更新でもそれぞれ ${hourly} 個まで発行されます。それを超えるとトークンエンドポイントは \`Retry-After\` 付きの 429 を返します。同時に有効なのは、アプリケーション自身のトークンが ${live} 個まで、1 人につきアクセストークン、リフレッシュトークン、ログインがそれぞれ ${live} 個までです。さらに発行されると、最も早く期限が切れるものが無効になります。401 が返ったら、新しいトークンを取得してください。`,
    errors: 'エラー',
    errorsText: 'エラーは常に 2 つのフィールドを持ちます。プログラムのためのコードと、人のための文です。',
    errorRows: [
      ['400', 'invalid_request', 'リクエストの形式が正しくありません。文が、どこがどう誤りかを示します'],
      [
        '401',
        'invalid_token',
        'トークンや Client ID がないか、不明、期限切れ、または失効しています。新しいトークンを取得してください',
      ],
      [
        '403',
        'insufficient_scope',
        'トークンの権限が足りません。`players/me` には `profile` スコープを持つ個人のトークンが必要です',
      ],
      ['403', 'access_not_approved', 'アプリケーションのデータ API 利用がまだ承認されていません'],
      ['404', 'not_found', '存在しないか、なくなりました'],
      ['405', 'method_not_allowed', 'データ API は読み取り専用です（GET、HEAD、OPTIONS）'],
      ['429', 'rate_limit', 'リクエストが多すぎます'],
      ['500', 'server_error', 'こちら側の障害です。記録されています'],
      [
        '503',
        'temporarily_unavailable',
        '`Retry-After` 秒後に再試行してください。前段のプロキシが同じ本文で 502 を返すこともあります',
      ],
    ],
    paging: 'ページ送り',
    pagingText:
      '一覧は新しい順で、`limit`（最大 100）を指定しなければ 20 件です。ページの最後の id を `max_id` に渡すと次のページが得られます。最新から既知の id までたどることを繰り返せば、すべての試合を一度ずつ取得できます。',
    changed: '変更されたときだけ取得する',
    changedText:
      'すべての応答に `ETag` があります。`If-None-Match` で送り返すと、変わっていなければ短い 304 が返ります（リクエスト数には数えます）。',
  },
  ingest: {
    title: 'ゲームサーバー向け',
    description: 'ゲームサーバーで起きたことをネットワークに伝える方法。',
    lead: 'ゲームサーバーはイベントを取り込みサービスへ送ります。キーはサーバーごとに異なり、そのサーバーだけに有効です。ネットワークの運営者に発行してもらってください。',
    text: [
      '1 件のイベント、配列、または 1 行 1 件のストリーム（NDJSON）を、そのまま、または圧縮して送れます。各イベントは送信側が付けた id を持ち、同じものを再送しても何も変わりません。',
      '応答には、イベントごとの受領結果が同じ順序で入ります。`accepted`（ディスクに保存され、閲覧者に見える）、`duplicate`、または理由と箇所を示す `rejected` です。誤ったイベントがあっても、ほかのイベントには影響しません。',
      '受領されるまで、イベントをディスク上のキューに保管してください。どちらかが停止しても、何も失われません。',
    ],
    types: '送れるイベント',
    document: '取り込みサービスの OpenAPI ドキュメント',
  },
  webhooks: {
    title: 'Webhook',
    description: '試合・マップ・処分・プレイヤー・サーバーの変更を、プログラムや Discord のチャンネルに届けます。',
    intro: [
      'コンソールのアプリのページで Webhook を追加してください。データ API の利用が必要です。シークレットは一度だけ表示されます。',
      '通知は Standard Webhooks に従います。`webhook-id`、`webhook-timestamp`、`webhook-signature` を持つ POST です。署名は `v1,` に続く、`id.timestamp.body` の HMAC-SHA256（base64） で、鍵はシークレットの `whsec_` より後の base64 を復号したバイト列です。シークレットの交換中は、空白で区切られた 2 つの署名が付きます。standardwebhooks.com のライブラリで、ほとんどの言語で検証できます。',
    ],
    receive: '通知を受け取る',
    receiver:
      '依存関係のない受信側の例です。最初の通知 `webhook.verification` には確認用の文字列（challenge） があります。それを応答で返すか、コンソールに入力してください。',
    tryIt: '受信側を試す',
    messages: '通知の内容',
    messagesText: [
      '変更の種類は `match.created`、`player.changed`、`map.withdrawn` などです。`data` には `/v1/changes` の項目（`id`、`type`、`revision`、`time`、`url`） が入ります。新しい試合と変わった試合には、`/v1/matches` の内容が `match` に入ります。残りは `url` から読んでください。',
      '変更は少なくとも 1 回届きます。`revision` が大きいものが小さいものを置き換え、同じものが再び届くこともあります。届くのは各リソースの最新の状態で、途中の段階すべてではありません。`withdrawn`、`merged`、`erased` は削除を表し、選んだ種類にかかわらず送られます。',
      '`feed.reset`：バックアップが復元されたか、削除の記録が残る期間より長く受信できなかったため、手元のコピーが正しくない可能性があります。`continues` は、新しい変更から続ける（`head`） か、すべてを送り直す（`start`） かを示します。',
      '`webhook.test` と `webhook.probe` には対応は不要です。',
    ],
    answers: '応答の意味',
    answersColumns: ['応答', '意味'],
    answersRows: [
      ['15 秒以内の 200〜299', '受信済み'],
      ['410', '今後は送らない：Webhook はオフになります'],
      ['429、`Retry-After` 付きの 503', '後で：その時刻まで送りません（最長 1 日）'],
      ['502、504', '失敗。数秒間は何も送りません'],
      ['それ以外（リダイレクトを含む）', '失敗'],
    ],
    failures: [
      '失敗した通知は、5 秒、5 分、30 分、2 時間後に送り直されます。その間も後の通知は続きます。それでも届かないものはコンソールの記録に残り、そこから送り直せます。',
      '10 件の変更が続けて失敗すると Webhook は待機し、およそ 30 分以内の間隔で疎通を確認します。応答があれば最初に失敗した変更から続け、それぞれ合計 5 回まで試してから次の変更に進みます。成功しないまま 5 日続くとオフになり、メールが届きます。位置は保たれ、オンにするとそこから続くので、何も失われません。',
    ],
    discord: 'Discord',
    discordText:
      'チャンネルの設定で作った Webhook のアドレスを入力してください。過去 1 日の新しい試合と処分をそれぞれ 1 回ずつ、1 つのメッセージに 10 件まで表示し、誰にもメンションしません。',
  },
  lists,
  changes,
  deprecation: {
    title: '変更履歴と廃止の予告',
    description: 'データ API の変更と、廃止がどのように予告されるか。',
    promise: 'お約束',
    promises: [
      '`/v1` には、種類などの新しい値、パラメーター、パスがいつでも追加されることがあります。フィールドが増えるのは、`fields` で指定した場合と、OpenAPI 文書のスキーマが追加を許している場合だけです。知らないものは無視してください。',
      '180 日以上前の予告なしに、何かをなくしたり意味を変えたりすることはありません。',
      '廃止されるものは、すべての応答で示されます。`Deprecation`（RFC 9745）は予告した時刻、`Sunset`（RFC 8594）は終了する時刻、`Link: rel="deprecation"` は下の説明へのリンクです。',
      'それを使っているアプリケーションの所有者には、メールでもお知らせします。',
    ],
    log: '履歴',
    entries: log,
  },
};

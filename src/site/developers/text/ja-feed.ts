import type { changes as enChanges, lists as enLists, log as enLog } from './en-feed.ts';

/** The texts of the page about the feed of changes. */
export const changes: typeof enChanges = {
  title: '変更の追跡',
  description:
    '試合・マップ・処分・プレイヤー・サーバーの変更を 1 つのフィードで複製、ポーリング、ストリーム受信できます。',
  lead: '1 つのカーソルで、まず今あるものすべてを、続いて変更を読みます。同じ一覧を何度も取得しなくても、正確なコピーを保てます。',
  client: 'このページの内容は、クライアントライブラリがすべて行います（追跡、複製、やり直し）。',
  webhooks: 'プログラムがリクエストを受け取れる場合は、変更の配信を受けることもできます。',
  promise: 'お約束',
  promises: (days) => [
    '`after=0` から最後まで読むと、その間ずっと存在した公開リソースがすべて得られます。',
    'カーソルから続けると、その後に変わったリソースがすべて、変更の順に得られます。',
    '各リソースはフィードに 1 回だけ、最新の変更の位置に現れます。届くのは最新の状態で、途中の段階すべてではありません。',
    '`withdrawn`、`merged`、`erased` は、`types` の指定にかかわらず必ず届きます。',
    '`expand=1` のリソースは、そのエンドポイントの応答と同じです。1 ページのリソースはすべて同じ時点のものです。',
    `${days} 日以内に続ける限り、カーソルはアップグレード後も使えます。使えないときの応答は 410 です。削除に気づかないことはありません。`,
    '同じ `revision` の変更が再び届くことがあります。大きい `revision` が小さいものを置き換えます。',
  ],
  begin: '今の状態から始める',
  beginText: (perMinute) => [
    `1 ページは 1,000 件まで、\`expand=1\` では 100 件までで、1 リクエストと数えます。アプリケーション自身のトークンで \`after=0\` から読む場合、1 日の最初の 1 回は数えず、代わりに 1 分あたり ${perMinute} ページに制限します。`,
    '`more` が true の間、`cursor` を `after` に渡します。false になれば、すべて揃いました。カーソルはコピーと同じトランザクションで保存してください。カーソルの中身を読む必要はありません。',
  ],
  next: '続きを読む',
  nextText:
    'カーソルを渡して、数秒以上の間隔で再びリクエストします。変更がなければ、空の一覧と続きのカーソルが返ります。`after=now` は今の状態を読まずに始めます。',
  parametersHead: ['パラメーター', '意味'],
  parameters: [
    ['after', 'カーソル。`0` は今の状態とその後のすべて、`now` は新しい変更だけ'],
    [
      'types',
      '`match`、`map`、`punishment`、`player`、`server` をコンマ区切りで。ほかの種類の削除も届くので、持っていない id は無視してください',
    ],
    ['limit', '1〜1,000、`expand=1` では 100 まで。省略すると 100'],
    ['expand', '`1` で、そのエンドポイントの応答と同じ `resource` が加わります'],
  ],
  lines:
    '`Accept: application/x-ndjson` では 1 行が 1 件の変更で、最後の行に `cursor` と `more` が入ります。アップグレード後にフィードを作成している間は、`Retry-After` 付きの 503 が返ります。',
  items: '変更の内容',
  itemsText:
    '項目には `id`、`type`（`match.created` など）、`revision`、`time` と、削除でなければ `url` があります。削除にあるのは id だけです。',
  typesHead: ['種類', 'すること'],
  types: [
    ['created', 'リソースを保存'],
    ['changed', 'リソースを保存（初めて届くこともあります）'],
    ['withdrawn', '削除：なくなったか、公開されなくなりました'],
    ['merged', 'プレイヤーを削除：記録は別のプレイヤーのものになりました'],
    ['erased', 'プレイヤーと、そのプレイヤーについて知っていることをすべて削除'],
  ],
  countsHead: ['リソース', '変更になるもの'],
  counts: [
    ['match', '報告、試合にいるプレイヤーの統合と改名、匿名化、集計への算入・除外、取り消し'],
    ['player', '名前、統合、消去、非公開'],
    ['map', '公開と画像'],
    ['punishment', '発行、変更、取り消し、プレイヤーの名前と UUID。終わりは `expires` にあり、変更にはなりません'],
    ['server', '設定と削除'],
  ],
  notCounted:
    '統計、順位、投票、ローテーション、オンラインの人、進行中の試合は変更に含まれません。それぞれのエンドポイントから読んでください。',
  reset: 'やり直し',
  resetText: '410 には `"reset": true` と `reason` があります。コピーを削除して `after=0` から始めてください。',
  resetHead: ['reason', '意味'],
  resets: [
    ['expired', '間が空きすぎて、カーソル以降の削除の記録がもうありません'],
    ['other_feed', 'バックアップが復元されました。手元の内容は、なかったことになっている可能性があります'],
    ['beyond_head', 'カーソルがフィードの終わりより先にあります'],
  ],
  stream: 'ストリーム',
  streamText: [
    'Server-Sent Events です。まずカーソル以降のすべてが、続いて新しい変更が、途切れなく届きます。`types` は上と同じです。`after` がなければ、次の変更から始まります。`Last-Event-ID` ヘッダーのカーソルは `after` より優先されます。',
    'イベントの `id` は、その次から続けるカーソルで、`/v1/changes` でも使えます。最初のイベントは `id` だけで、ストリームの開始位置を示します。15 秒ごとにコロンで始まる行が届きます。45 秒間何も届かなければ接続し直してください。',
    'ブラウザの `EventSource` はトークンをヘッダーで送れないので、`client_id` で Client ID を渡すか、`fetch` でストリームを読んでください。',
  ],
  streamLimits: (application, others) =>
    `ストリームを開くと 1 リクエストと数えます。同時に開けるのは、アプリケーションのトークンで ${application} 本、利用者ごと、ゲームサーバーごと、Client ID のみのアドレスごとに ${others} 本までで、\`X-Stream-Limit\` と \`X-Stream-Remaining\` が示します。それを超えると 429 になります。過去の変更を読むストリームは、1 本ずつ送られます。`,
  eventsHead: ['イベント', '意味'],
  events: [
    ['change', '`/v1/changes` の項目（`resource` なし）'],
    [
      'presence',
      '`presence=1` のとき：サーバーと、そこにいる人（`/v1/servers` と同じ）。最初にすべて、その後はサーバーごとに 1 秒に 1 回まで。`id` はありません',
    ],
    [
      'live',
      '`presence=1` のとき：サーバーで進行中の試合（`/v1/live-matches` と同じ）。なくなると `phase` が `ended` になります',
    ],
    ['reset', '410 の本文。ストリームは終わります。やり直してください'],
    ['unauthorized', 'トークンの期限切れか失効。ストリームは終わります。新しいトークンで接続してください'],
    ['too_slow', '読み取りが遅すぎるため、ストリームは終わります。最後の `id` から続けてください'],
  ],
};

/** The texts of the page about look-ups and lists. */
export const lists: typeof enLists = {
  title: '検索と一覧',
  description: '複数プレイヤーの取得、検索、試合の絞り込み、プレイヤーの試合とキル、ランキング。',
  lookUp: '複数のプレイヤーを一度に',
  lookUpText:
    '`uuids` と `names` を合わせて 100 件まで。10 件ごとに 1 リクエストと数え、`X-RateLimit-Cost` が示します。残りが足りないときは 429 を返し、何も数えません。コンマを含む名前は `names[]=` で送ります。1 件ずつ結果が返ります。',
  lookUpHead: ['status', '意味'],
  lookUps: [
    ['found', '`player` は `/v1/players/:id` と同じ内容です。以前の名前で見つかった場合は `former_name` に入ります'],
    ['ambiguous', 'その名前のプレイヤーが複数います（いました）。`candidates` に一覧があります'],
    ['not_found', 'その UUID や名前のプレイヤーはいません'],
    ['invalid', '`uuids` の値が UUID ではありません'],
  ],
  search: '検索',
  searchText:
    '`search` は、今または以前の名前に含まれる単語の先頭でプレイヤーを、名前に含まれる単語の先頭でマップを探します。`fox` で Red_Fox が見つかります。',
  filters: '試合の絞り込み',
  filtersText:
    '`server` と `map` は id か名前、`player` は UUID・名前・id、`since` と `until` は時差付きの時刻、`ranked` は 1 か 0 です。どれも単独で使え、`player` はほかのどれとでも組み合わせられます。`player` なしで組み合わせられるのは次のとおりで、ほかの組み合わせは、それを示す 400 になります。',
  filtersHead: ['条件', '組み合わせられるもの'],
  time: '`since`、`until`、またはその両方',
  byTime: '`since` か `until` を使うと、終わった時刻の新しい順になります。',
  ofPlayer: 'プレイヤーの試合とキル',
  ofPlayerText:
    '`/v1/players/:id/matches`、`/kills`、`/deaths` は新しい順です。ページの最後の `id` を `max_id` に渡すと次のページが得られます。空のページで終わりです。',
  boards: 'ランキング',
  boardsText:
    '`/v1/leaderboards/:mode/:period` は、ランキングのプレイヤーを順位の順に返します。ゲームサーバーもキーで読めます。',
  boardsHead: ['項目', '値'],
  boardParts: { mode: ':mode', period: ':period', by: 'by' },
  ago: '何期間前か',
};

/** The log of the changes of the API. */
export const log: typeof enLog = [
  ['バージョン 1', 'サーバー、試合、マップ、処分、プレイヤー。OpenID Connect によるログイン。'],
  ['追加', '複数プレイヤーの取得：`/v1/players?uuids=&names=`。検索：`/v1/players?search=`、`/v1/maps?search=`。'],
  [
    '追加',
    '`/v1/matches` の絞り込み：`server`、`map`、`gamemode`、`player`、`since`、`until`、`ranked`。`/v1/players/:id/matches`、`/kills`、`/deaths`。',
  ],
  ['追加', '`/v1/leaderboards/:mode/:period`。'],
  ['追加', '変更のフィード `/v1/changes` とそのストリーム `/v1/changes/stream`。'],
  ['追加', 'Webhook。'],
];

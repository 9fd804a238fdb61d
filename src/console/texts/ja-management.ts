import type { management as english } from './en-management.ts';

/** The Japanese texts about following a game server by the management protocol. */
export const management: typeof english = {
  management: {
    title: '管理プロトコル',
    lead: 'Minecraft 1.21.9 以降のサーバーは、プラグインなしで入退室・BAN・BAN 解除をその場で報告できます。server.properties で management-server-enabled=true を設定してください。',
    url: '管理アドレス',
    url_hint: 'wss://HOST:PORT。TLS なしで使えるのはこのマシン上だけです（ws://127.0.0.1:PORT）。',
    url_wrong: (forms) => `次の形で入力してください：${forms}`,
    secret: 'シークレット',
    secret_hint:
      'server.properties の management-server-secret。ゲームサーバーを完全に操作できる値なので、暗号化して保存し、二度と表示しません。',
    secret_wrong: '空白を含めず、シークレットだけ（英数字 40 文字）を入力してください。',
    ca: '独自の認証局の証明書',
    ca_hint: 'PEM 形式。サーバーの証明書が公的な認証局のものなら空のままにします。',
    ca_wrong: 'PEM 形式の証明書（-----BEGIN CERTIFICATE-----）を入力してください。秘密鍵は入れないでください。',
    begin: 'このサーバーに接続する',
    change: '接続を変更する',
    remove: '接続をやめる',
    remove_hint: '接続を終了し、シークレットを削除します。報告済みの内容は残ります。',
    waiting: 'まもなく最初の接続',
    connected: '接続中',
    failed: '未接続',
    never: 'まだ接続したことがありません。',
    contact: '最後の受信',
    reasons: {
      timeout: '時間内に応答がありません。アドレスとファイアウォールを確認してください。',
      refused: '接続が拒否されました。このポートで待ち受けているものがありません。',
      unreachable: 'ホストに到達できません。',
      not_found: 'この名前のホストはありません。',
      certificate: '証明書を検証できません。名前が違うか、期限切れか、登録されていない認証局のものです。',
      unauthorized: 'シークレットが違います。',
      wrong_answer: '管理プロトコルの応答ではありません。',
      too_large: 'メッセージが大きすぎます。',
      too_many_players:
        '1 時間に追加できる数（NEW_PLAYERS_LIMIT）を超えるプレイヤーが報告されました。残りは後で報告されます。',
      closed: 'サーバーが接続を切りました。再接続します。',
      secret_unreadable: 'シークレットは別の秘密鍵で保存されています。もう一度入力してください。',
    },
  },
};

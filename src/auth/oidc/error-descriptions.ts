import type { KoaContextWithOIDC, errors } from 'oidc-provider';
import type { Language } from '#http/languages.ts';

/**
 * A description of an error by oidc-provider, and what replaces it: in English on the wire, where RFC 6749 (section 5.2)
 * allows ASCII without quotation marks and backslashes, and in the language of the reader on a page.
 */
type Description = { library: RegExp; error?: string } & Readonly<Record<Language, string>>;

const DESCRIPTIONS: readonly Description[] = [
  {
    library: /^missing required parameters? (.+)$/,
    en: 'The request lacks $1. Send each of them once, with a value.',
    ja: '$1 がありません。それぞれ一度だけ、値を付けて送ってください。',
  },
  {
    library: /^(.+) parameters? must not be provided twice$/,
    en: 'The request has $1 more than once. Send each of them once.',
    ja: '$1 が 2 回以上あります。それぞれ一度だけ送ってください。',
  },
  {
    library: /^client is invalid$/,
    en: 'No application has this client_id. The console shows the Client ID of each application.',
    ja: 'この client_id のアプリはありません。Client ID はコンソールで確認できます。',
  },
  {
    library: /^redirect_uri did not match any of the client's registered redirect_uris$/,
    en: 'redirect_uri is not registered for this application. It must equal a registered one, character by character.',
    ja: 'redirect_uri がこのアプリに登録されていません。登録したものと 1 文字も違わないようにしてください。',
  },
  {
    library: /^(?:unsupported response_type requested|requested response_type is not allowed for this client)$/,
    en: 'response_type must be code, and the application must have a redirect URI.',
    ja: 'response_type は code で、アプリにリダイレクト URI が登録されている必要があります。',
  },
  {
    library: /^(?:unsupported response_mode requested|requested response_mode is not allowed .+)$/,
    en: 'response_mode must be query, fragment or form_post.',
    ja: 'response_mode は query、fragment、form_post のいずれかです。',
  },
  {
    library: /^(?:unsupported prompt value requested|prompt none must only be used alone)$/,
    en: 'prompt must be login, consent or select_account, several of them with a blank between, or none alone.',
    ja: 'prompt は login、consent、select_account（空白区切りで複数可）か、none のみです。',
  },
  {
    library: /^scope contains invalid characters$/,
    en: 'scope must be names with one blank between them, like: openid profile email.',
    ja: 'scope は openid profile email のように、空白 1 つで区切った名前です。',
  },
  {
    library: /^Authorization Server policy requires PKCE to be used for this request$/,
    en: 'This application requires PKCE: send a code_challenge with code_challenge_method=S256.',
    ja: 'このアプリには PKCE が必要です。code_challenge を code_challenge_method=S256 とともに送ってください。',
  },
  {
    library: /^(?:not supported value of code_challenge_method|code_challenge(?:_method)? must be provided.*)$/,
    en: 'Send code_challenge and code_challenge_method=S256 together; no other method is accepted.',
    ja: 'code_challenge と code_challenge_method=S256 を両方送ってください。ほかの方式は使えません。',
  },
  {
    library: /^(code_\w+) (?:must be a string with a m\w+ length of \d+ characters|contains invalid characters)$/,
    en: '$1 must have 43 to 128 characters, only letters, digits and - . _ ~',
    ja: '$1 は 43～128 文字で、英数字と - . _ ~ だけが使えます。',
  },
  {
    library: /^openid scope must be requested when using the (\w+) parameter$/,
    en: '$1 needs the scope openid. Add it to scope, or leave $1 out.',
    ja: '$1 には openid スコープが必要です。scope に加えるか、$1 を外してください。',
  },
  {
    library: /^invalid max_age parameter value$/,
    en: 'max_age must be a whole number of seconds, 0 or more.',
    ja: 'max_age は 0 以上の整数（秒）です。',
  },
  {
    library: /^could not validate id_token_hint$/,
    en: 'id_token_hint is not an ID token that this service has issued.',
    ja: 'id_token_hint はこのサービスが発行した ID トークンではありません。',
  },
  {
    library: /^post_logout_redirect_uri not registered$/,
    en: 'post_logout_redirect_uri was left out. It must equal an address that is registered for the application, which client_id or id_token_hint names.',
    ja: 'post_logout_redirect_uri は無視されました。client_id か id_token_hint で示したアプリに登録されているものと一致させてください。',
  },
  {
    library: /^(?:invalid request_uri|request_uri is invalid, expired, or was already used)$/,
    en: 'request_uri is unknown, has expired or has been used. Push the request again.',
    ja: 'request_uri が不明か、期限切れか、使用済みです。もう一度送信してください。',
  },
  {
    library: /^unsupported grant_type requested$/,
    en: 'grant_type must be authorization_code, refresh_token or client_credentials.',
    ja: 'grant_type は authorization_code、refresh_token、client_credentials のいずれかです。',
  },
  {
    library: /^requested grant type is not allowed for this client$/,
    error: 'unauthorized_client',
    en: 'This type of application cannot use this grant_type: client_credentials is for services, which have a secret, and the others are for applications with a redirect URI.',
    ja: 'この種類のアプリはこの grant_type を使えません。client_credentials は secret を持つ service 用、ほかはリダイレクト URI を持つアプリ用です。',
  },
  {
    library: /^only \S+ content-type bodies are supported on POST \/oauth\/userinfo$/,
    en: 'The body must be a form (application/x-www-form-urlencoded).',
    ja: '本文はフォーム（application/x-www-form-urlencoded）です。',
  },
  {
    library: /^(?:only \S+ content-type bodies are supported on .+|failed to parse the request body)$/,
    en: 'The body must be a form (application/x-www-form-urlencoded) or a JSON object (application/json).',
    ja: '本文はフォーム（application/x-www-form-urlencoded）か JSON オブジェクト（application/json）です。',
  },
  {
    library:
      /^(?:invalid authorization header value format|client_id and client_secret in the authorization header .+)$/,
    en: 'The Authorization header must be Bearer and an access token at userinfo; elsewhere Basic and the base64 of CLIENT_ID:CLIENT_SECRET.',
    ja: 'Authorization ヘッダーは、userinfo では Bearer とアクセストークン、ほかでは Basic と CLIENT_ID:CLIENT_SECRET の base64 です。',
  },
  {
    library: /^client_id mismatch$/,
    en: 'client_id in the body differs from the Authorization header.',
    ja: '本文の client_id が Authorization ヘッダーと違います。',
  },
  {
    library: /^client authentication must only be provided using one mechanism$/,
    en: 'The secret in the form differs from that in the Authorization header. Send it in one of them.',
    ja: 'フォームの secret と Authorization ヘッダーの secret が違います。どちらか一方で送ってください。',
  },
  {
    library: /^no client authentication mechanism provided$/,
    en: 'client_id is missing. Send it in the form, or with the secret by HTTP Basic.',
    ja: 'client_id がありません。フォームか、secret とともに HTTP Basic で送ってください。',
  },
  {
    library: /^client authentication failed$/,
    en: 'client_id or client_secret is wrong, or was withdrawn. A secret begins with shs_ and is sent in the form or by HTTP Basic.',
    ja: 'client_id か client_secret が間違っているか、取り消されています。secret は shs_ で始まり、フォームか HTTP Basic で送ります。',
  },
  {
    library: /^refresh token missing requested scopes?$/,
    en: 'scope names more than the sign-in granted. Leave it out, or start a new sign-in with it.',
    ja: 'scope がログイン時に許可された範囲を超えています。外すか、その scope で新しくログインしてください。',
  },
  {
    library: /^End-User authentication (?:is required|could not be obtained)$/,
    en: 'Nobody is signed in, or not recently enough. Send the request without prompt=none.',
    ja: 'ログインしていないか、ログインから時間が経っています。prompt=none を外して送ってください。',
  },
  {
    library: /^(?:requested scopes not granted|interaction is required from the end-user|\w+ prompt was not resolved)$/,
    en: 'The person has to decide something on a page first. Send the request without prompt=none.',
    ja: '本人がページで選択する必要があります。prompt=none を外して送ってください。',
  },
  {
    library: /^id_token_hint and authenticated subject do not match$/,
    en: 'Another account is signed in than the one of id_token_hint.',
    ja: 'id_token_hint とは別のアカウントでログインしています。',
  },
  {
    library: /^no access token provided$/,
    en: 'Send the access token in the header Authorization: Bearer ACCESS_TOKEN.',
    ja: 'アクセストークンを Authorization: Bearer ACCESS_TOKEN ヘッダーで送ってください。',
  },
  {
    library: /^(request|request_uri|registration)_not_supported$/,
    en: '$1 is not supported. Send the parameters themselves, or push them to /oauth/par; applications are registered in the console.',
    ja: '$1 には対応していません。パラメーターをそのまま送るか、/oauth/par に送信してください。アプリはコンソールで登録します。',
  },
  {
    library: /^invalid token provided$/,
    en: 'The access token is unknown, has expired or has been revoked.',
    ja: 'アクセストークンが不明か、期限切れか、取り消されています。',
  },
];

/** The description to show instead of one by oidc-provider (or of the code of its error without one); ours stay. */
export function describeIn(language: Language, description: string): string {
  const known = DESCRIPTIONS.find(({ library }) => library.test(description));
  return known === undefined ? description : description.replace(known.library, known[language]);
}

/** Replaces the description of an error in a JSON body, a redirect or the form of `response_mode=form_post`. */
export function replaceDescription(ctx: KoaContextWithOIDC): void {
  const { body } = ctx;
  if (isErrorBody(body)) {
    const { error, error_description = error } = body;
    const known = DESCRIPTIONS.find(({ library }) => library.test(error_description));
    ctx.body = { ...body, error: known?.error ?? error, error_description: describeIn('en', error_description) };
  }
  const location = ctx.response.get('location');
  if (/[?&#]error=/.test(location))
    ctx.redirect(
      location.replace(LACKS_IN_LOCATION, '$&&error_description=$1').replace(IN_LOCATION, replaceInLocation),
    );
  if (typeof body === 'string')
    ctx.body = body
      .replace(LACKS_IN_FORM, '$&<input type="hidden" name="error_description" value="$1"/>')
      .replace(IN_FORM, replaceInForm);
}

function isErrorBody(body: unknown): body is { error: string; error_description?: string } {
  return typeof (body as { error?: unknown } | null | undefined)?.error === 'string';
}

/** An error of oidc-provider that has no description. */
const LACKS_IN_LOCATION = /(?<=[?&#])error=(\w+_not_supported)(?!.*error_description=)/;
const LACKS_IN_FORM = /<input type="hidden" name="error" value="(\w+_not_supported)"\/>(?!.*name="error_description")/s;

const IN_LOCATION = /(?<=[?&#]error_description=)[^&#]*/;
const IN_FORM = /(?<=name="error_description" value=")[^"]*/;

function replaceInLocation(encoded: string): string {
  const description = decodeURIComponent(encoded.replaceAll('+', '%20'));
  const ours = describeIn('en', description);
  return ours === description ? encoded : encodeURIComponent(ours);
}

function replaceInForm(escaped: string): string {
  return describeIn('en', escaped.replaceAll('&#39;', "'").replaceAll('&amp;', '&'));
}

/** Problems of a code or refresh token, by the detail that oidc-provider gives only to its events. */
const GRANT_PROBLEMS: Readonly<Record<string, string>> = {
  'authorization code not found':
    'The code is unknown, has expired (a code works for 60 seconds) or belongs to another application.',
  'authorization code already consumed':
    'The code has been used before. The tokens of its sign-in have been revoked; start a new sign-in.',
  'authorization code redirect_uri mismatch':
    'redirect_uri must be the same as in the authorization request, character by character.',
  'code_verifier must be provided': 'code_verifier is missing: the authorization request had a code_challenge.',
  'code_verifier does not match code_challenge':
    'code_verifier does not match the code_challenge of the authorization request (S256: the SHA-256 hash of the ' +
    'verifier in base64url).',
  'unsupported code_challenge_method': 'A code_verifier was sent, but the authorization request had no code_challenge.',
  'refresh token not found': 'The refresh token is unknown, has expired or has been revoked. Start a new sign-in.',
  'refresh token already used':
    'The refresh token has been used before. The tokens of its sign-in have been revoked; start a new sign-in.',
  'grant not found': 'The tokens of this sign-in have been revoked. Start a new sign-in.',
};

/** A service sent no secret, or a public application one. */
const OTHER_METHOD = 'the provided authentication mechanism does not match the registered client authentication method';
const SECRET_MISSING =
  'client_secret is missing: this application is a service. Send its secret in the form or by HTTP Basic.';
const SECRET_SUPERFLUOUS =
  'This application has no secret, because it runs on devices of people or in browsers. Send only its client_id.';

/** A token of another application is described like an unknown one, which does not reveal that it exists. */
const CLIENT_MISMATCH = 'client mismatch';

/** Completes the response to a refused request of an application; oidc-provider has the same sentence for every reason. */
export function describeTokenError(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void {
  const body = ctx.body as { error?: string } | string | undefined;
  if (typeof body !== 'object') return;
  if (error.error_detail === OTHER_METHOD) {
    const isPublic = ctx.oidc.client?.clientAuthMethod === 'none';
    ctx.body = { ...body, error_description: isPublic ? SECRET_SUPERFLUOUS : SECRET_MISSING };
  }
  if (body.error !== 'invalid_grant') return;
  const unknown = ctx.oidc.params?.['code'] === undefined ? 'refresh token not found' : 'authorization code not found';
  const detail = error.error_detail === CLIENT_MISMATCH ? unknown : error.error_detail;
  const description = GRANT_PROBLEMS[detail ?? ''];
  if (description !== undefined) ctx.body = { ...body, error_description: description };
}

/** Sentences about credentials of a wrong form. They repeat nothing of a credential, and are ASCII without quotation marks. */

/** Schemes that are named: another first word may be a part of a secret. */
const SCHEME = /^(basic|token|apikey|api-key|jwt|oauth|digest|bot|key) /i;

/** Why the value of an Authorization header is not `Bearer` and a token. */
export function schemeProblem(header: string): string {
  const value = header.trim();
  const at = 'The header Authorization has';
  if (/^bearer$/i.test(value)) return `${at} nothing after Bearer.`;
  if (/^bearer /i.test(value)) return `${at} a blank within what follows Bearer.`;
  const [, scheme] = SCHEME.exec(value) ?? [];
  if (scheme !== undefined) return `${at} the scheme ${scheme}.`;
  return value.includes(' ') ? `${at} another scheme than Bearer.` : `${at} no scheme.`;
}

export const CLIENT_SECRET = 'This is a Client Secret';

/** What was sent as an access token instead of one; undefined if it may be one. */
export function tokenProblem(token: string): string | undefined {
  if (token.startsWith('shs_'))
    return `${CLIENT_SECRET}: exchange it for an access token at /oauth/token of the sign-in.`;
  if (token.startsWith('whsec_'))
    return 'This is the secret of a webhook, which verifies messages: send an access token.';
  if (/^eyJ[\w-]*\.[\w-]+\./.test(token))
    return 'This is a JWT, such as an ID token: send the access token of the same response.';
  return undefined;
}

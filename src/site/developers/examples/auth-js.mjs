/** A provider for Auth.js: NextAuth({ providers: [scorehall] }). */
export const scorehall = {
  id: 'scorehall',
  name: 'Scorehall',
  type: 'oidc',
  issuer: '@auth@',
  clientId: '@client_id@',
  clientSecret: '@client_secret@',
  checks: ['pkce', 'state', 'nonce'],
  // The ID token has neither name nor e-mail address: read them from userinfo.
  idToken: false,
};

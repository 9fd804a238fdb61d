import * as client from 'openid-client';

const config = await client.discovery(
  new URL('@auth@'),
  '@client_id@',
  '@client_secret@',
  // The sign-in is on plain http, which is for tests on one machine. //@http@
  client.ClientSecretPost(), //@http@
  { execute: [client.allowInsecureRequests] }, //@http@
);
// Without a scope the response has "scope": null, which openid-client and oauth4webapi refuse.
const { access_token } = await client.clientCredentialsGrant(config, { scope: 'profile' });
const response = await fetch('@api@/v1/matches', { headers: { authorization: `Bearer ${access_token}` } });
console.log(`${response.status} ${(await response.json()).length} matches`);

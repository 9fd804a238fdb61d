// Node 20 or newer, no packages. Run it, open the printed address and sign in.
import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';

const redirect_uri = '@redirect@';
const [nonce, state] = [randomBytes(16), randomBytes(16)].map((bytes) => bytes.toString('hex'));

const authorize = new URL('@auth@/oauth/authorize');
authorize.search = new URLSearchParams({
  client_id: '@client_id@',
  response_type: 'code',
  scope: 'openid profile email',
  redirect_uri,
  nonce,
  state,
});

const server = createServer(async (request, response) => {
  const query = new URL(request.url, redirect_uri).searchParams;
  if (query.get('state') !== state) return response.writeHead(400).end('The state does not match. Start again.');
  const tokens = await exchange(query.get('code'));
  const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1], 'base64url'));
  // The ID token comes from the token endpoint over TLS, so its signature need not be checked (OpenID Connect Core 3.1.3.7).
  if (claims.nonce !== nonce || claims.aud !== '@client_id@') return response.writeHead(400).end('The ID token does not belong to this sign-in.');
  const player = await get('@api@/v1/players/me?fields=total', tokens.access_token);
  response.end(`Hello, ${player.name}: ${player.total.play_count} matches.`);
  server.close();
});

async function exchange(code) {
  const response = await fetch('@auth@/oauth/token', {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('@client_id@:@client_secret@')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

async function get(url, token) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

server.listen(new URL(redirect_uri).port, '127.0.0.1', () => console.log(authorize.href));

// Node 20 or newer, no packages. Run it, open the printed address and sign in.
import { createServer } from 'node:http';
import { createHash, randomBytes } from 'node:crypto';

const redirect_uri = '@redirect@';
const [nonce, state] = [randomBytes(16), randomBytes(16)].map((bytes) => bytes.toString('hex'));
// PKCE: only the program that knows the verifier can exchange the code.
const code_verifier = randomBytes(32).toString('base64url');

const authorize = new URL('@auth@/oauth/authorize');
authorize.search = new URLSearchParams({
  client_id: '@client_id@',
  response_type: 'code',
  scope: 'openid profile email',
  redirect_uri,
  nonce,
  state,
  code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
  code_challenge_method: 'S256',
});

const server = createServer(async (request, response) => {
  const url = new URL(request.url, redirect_uri);
  if (url.pathname !== new URL(redirect_uri).pathname) return response.writeHead(404).end();
  try {
    response.end(await greeting(await signIn(url.searchParams)));
    server.close();
  } catch (error) {
    response.writeHead(400).end(error.message);
  }
});

async function signIn(query) {
  if (query.get('state') !== state) throw new Error('The state does not match. Start again.');
  if (query.has('error')) throw new Error(`${query.get('error')}: ${query.get('error_description')}`);
  const tokens = await exchange(query.get('code'));
  const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1], 'base64url'));
  // The ID token comes from the token endpoint over TLS, so its signature need not be checked (OpenID Connect Core 3.1.3.7).
  if (claims.nonce !== nonce || claims.aud !== '@client_id@') throw new Error('The ID token does not belong to this sign-in.');
  return tokens.access_token;
}

async function greeting(token) {
  const response = await get('@api@/v1/players/me?fields=total', token);
  if (response.status === 404) {
    const person = await (await get('@auth@/oauth/userinfo', token)).json();
    return `Hello, ${person.preferred_username}: no game account is linked to your account yet.`;
  }
  if (!response.ok) throw new Error(await response.text());
  const player = await response.json();
  return `Hello, ${player.name}: ${player.total.play_count} matches.`;
}

async function exchange(code) {
  const response = await fetch('@auth@/oauth/token', {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa('@client_id@:@client_secret@')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri, code_verifier }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

function get(url, token) {
  return fetch(url, { headers: { Authorization: `Bearer ${token}` } });
}

server.listen(new URL(redirect_uri).port, '127.0.0.1', () => console.log(authorize.href));

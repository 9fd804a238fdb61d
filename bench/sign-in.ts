import { type BenchClient, REDIRECT_URI } from './client.ts';
import { randomItem, type BenchRequest, type Case } from './case.ts';
import { CODE_VERIFIER, CodeMaker, type Tokens } from './pkce.ts';

/** The number of unused codes at the start of a round. A round ends early when they are used up. */
const CODES = 600;
const SIGNED_IN = 200;

/** The requests of applications to the sign-in. */
export async function signInCases(client: BenchClient): Promise<Case[]> {
  const maker = new CodeMaker(client);
  const codes: string[] = [];
  let tokens: readonly Tokens[] | undefined;
  const signIn = async (origin: string): Promise<void> => {
    tokens ??= await maker.redeem(origin, SIGNED_IN, redemption(client));
  };
  return [
    { name: 'client credentials', nextRequest: () => clientCredentials(client), status: 200 },
    {
      name: 'code to tokens',
      nextRequest: () => (codes.length === 0 ? undefined : redemption(client)(codes.pop()!)),
      prepare: async () => void codes.push(...(await maker.make(CODES - codes.length))),
      status: 200,
    },
    {
      name: 'tokeninfo',
      nextRequest: () => ({ path: `/oauth/tokeninfo?id_token=${randomItem(tokens!).id_token}` }),
      prepare: signIn,
      status: 200,
    },
    {
      name: 'userinfo',
      nextRequest: () => ({
        path: '/oauth/userinfo',
        headers: { authorization: `Bearer ${randomItem(tokens!).access_token}` },
      }),
      prepare: signIn,
      status: 200,
    },
  ];
}

function clientCredentials({ clientId, secret }: BenchClient): BenchRequest {
  return tokenRequest({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
}

const redemption =
  ({ clientId, secret }: BenchClient) =>
  (code: string): BenchRequest =>
    tokenRequest({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: CODE_VERIFIER,
      client_id: clientId,
      client_secret: secret,
    });

function tokenRequest(form: Record<string, string>): BenchRequest {
  return {
    method: 'POST',
    path: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  };
}

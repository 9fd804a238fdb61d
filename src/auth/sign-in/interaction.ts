import type { InteractionResults } from 'oidc-provider';
import { HttpError } from '#http/errors.ts';
import { type Application, applicationByClientId } from '#store/applications/applications.ts';
import type { Form } from '#http/form.ts';
import { type Context, type Deps, readOwnForm, requestTexts } from '../deps.ts';
import { signInPath } from '../layout.ts';
import { errors } from '../oidc/oidc-provider.ts';

/**
 * One prompt of an authorization request (oidc-provider's interaction): sign in, select the account, link a game account, or
 * consent.
 */
export interface Interaction {
  uid: string;
  prompt: 'login' | 'select_account' | 'link' | 'consent';
  reasons: string[];
  application: Application;
  /** The account that was signed in when the interaction started. */
  accountId: string | undefined;
  grantId: string | undefined;
  scopes: string[];
  loginHint: string | undefined;
  redirectUri: string;
  /** The parameters of the authorization request. */
  params: Record<string, string>;
}

/**
 * Reads the interaction named by the path; the interaction cookie proves that it belongs to this browser.
 * @throws HttpError 410 if it has expired, is finished or belongs to another browser
 */
export async function readInteraction(c: Context, deps: Deps): Promise<Interaction> {
  const details = await deps.provider.interactionDetails(c.env.incoming, c.env.outgoing).catch(throwExpired);
  const params = details.params as Record<string, string>;
  const application = await applicationByClientId(deps.db, params['client_id']!);
  if (application === undefined || details.uid !== c.req.param('uid')) throw expired();
  c.set('texts', requestTexts(c, params['ui_locales']));
  return {
    uid: details.uid,
    prompt: details.prompt.name as Interaction['prompt'],
    reasons: details.prompt.reasons,
    application,
    accountId: details.session?.accountId,
    grantId: details.grantId,
    scopes: (params['scope'] ?? '').split(' '),
    loginHint: params['login_hint'],
    redirectUri: params['redirect_uri']!,
    params,
  };
}

/** The form of a step of a sign-in. If the sign-in is at another step than `prompt`, it leads there. */
export function interactionForm(
  deps: Deps,
  prompt: Interaction['prompt'] | undefined,
  act: (c: Context, interaction: Interaction, form: Form) => Response | Promise<Response>,
) {
  return async (c: Context): Promise<Response> => {
    const form = await readOwnForm(c, deps);
    const interaction = await readInteraction(c, deps);
    const isOther = prompt !== undefined && interaction.prompt !== prompt;
    return isOther ? c.redirect(signInPath(interaction.uid), 303) : await act(c, interaction, form);
  };
}

function throwExpired(error: unknown): never {
  throw error instanceof errors.SessionNotFound ? expired() : error;
}

const expired = (): HttpError =>
  new HttpError(410, 'expired', 'The sign-in has expired, is finished or belongs to another browser.');

/**
 * Stores the result and redirects to oidc-provider, which continues with the next interaction or the application.
 * @throws HttpError 410 if another request has finished the interaction since it was read, as a double click does
 */
export async function finish(c: Context, deps: Deps, result: InteractionResults): Promise<Response> {
  const { incoming, outgoing } = c.env;
  const mergeWithLastSubmission = result.login === undefined && result['error'] === undefined;
  const stored = deps.provider.interactionResult(incoming, outgoing, result, { mergeWithLastSubmission });
  const next = await stored.catch(throwExpired);
  return c.redirect(next, 303);
}

/** Redirects to the application with `access_denied` (RFC 6749 section 4.1.2.1). */
export async function cancel(c: Context, deps: Deps): Promise<Response> {
  return await finish(c, deps, { error: 'access_denied', error_description: 'The user denied the request.' });
}

/** Starts the same authorization request again, so that another account can sign in. */
export function restart(c: Context, { params }: Interaction): Response {
  return c.redirect(`/oauth/authorize?${new URLSearchParams(params).toString()}`, 303);
}

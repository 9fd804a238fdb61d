import type { InteractionResults } from 'oidc-provider';
import { HttpError } from '#http/errors.ts';
import { type Application, applicationByClientId } from '#store/applications/applications.ts';
import { type Context, type Deps, textsOf } from './deps.ts';
import { errors } from './oidc/oidc-provider.ts';

/** One question that somebody answers on the way to an application: oidc-provider's interaction. */
export interface Step {
  uid: string;
  prompt: 'login' | 'link' | 'consent';
  reasons: string[];
  application: Application;
  /** Who was signed in when the question came up. */
  accountId: string | undefined;
  grantId: string | undefined;
  scopes: string[];
  loginHint: string | undefined;
  redirectUri: string;
  /** The parameters of the authorization request. */
  params: Record<string, string>;
}

/**
 * The step that the path names and the browser's cookie proves.
 * @throws HttpError 410 where it is too old, was finished, or is another browser's
 */
export async function stepOf(c: Context, deps: Deps): Promise<Step> {
  const interaction = await interactionOf(c, deps);
  const params = interaction.params as Record<string, string>;
  const application = await applicationByClientId(deps.db, params['client_id']!);
  if (application === undefined || interaction.uid !== c.req.param('uid')) throw expired();
  c.set('texts', textsOf(c, params['ui_locales']));
  return {
    uid: interaction.uid,
    prompt: interaction.prompt.name as Step['prompt'],
    reasons: interaction.prompt.reasons,
    application,
    accountId: interaction.session?.accountId,
    grantId: interaction.grantId,
    scopes: (params['scope'] ?? '').split(' '),
    loginHint: params['login_hint'],
    redirectUri: params['redirect_uri']!,
    params,
  };
}

async function interactionOf(c: Context, deps: Deps) {
  try {
    return await deps.provider.interactionDetails(c.env.incoming, c.env.outgoing);
  } catch (error) {
    throw error instanceof errors.SessionNotFound ? expired() : error;
  }
}

const expired = (): HttpError => new HttpError(410, 'expired', 'The interaction is too old or another browser’s.');

/** Answers the step and goes on: to the next one, or to the application. */
export async function finish(c: Context, deps: Deps, result: InteractionResults): Promise<Response> {
  const { incoming, outgoing } = c.env;
  const mergeWithLastSubmission = result.login === undefined && result['error'] === undefined;
  const next = await deps.provider.interactionResult(incoming, outgoing, result, { mergeWithLastSubmission });
  return c.redirect(next, 303);
}

/** Goes back to the application without its wish (RFC 6749 section 4.1.2.1). */
export async function cancel(c: Context, deps: Deps): Promise<Response> {
  return await finish(c, deps, { error: 'access_denied', error_description: 'The person declined.' });
}

/** Begins the same request anew, for somebody else. */
export function restart(c: Context, { params }: Step): Response {
  return c.redirect(`/oauth/authorize?${new URLSearchParams(params).toString()}`, 303);
}

/** Where forms of the step's pages lead in the end: the application's origin, or its own scheme. */
export function formTargetsOf({ redirectUri }: Step): string[] {
  const { protocol, origin } = new URL(redirectUri);
  return [/^https?:$/.test(protocol) ? origin : protocol];
}

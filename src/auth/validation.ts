import { html } from 'hono/html';
import { dataFolder } from '#platform/config/config.ts';
import { isBreached } from '#platform/crypto/breached-passwords.ts';
import { MIN_PASSWORD, passwordProblem } from '#platform/crypto/passwords.ts';
import type { Context, Deps } from './deps.ts';
import { showCard } from './layout.ts';

/**
 * The sentence for a password that is too short, too long, too easy or in the operator's list of breached ones; undefined if
 * the password is good.
 * @param related name and e-mail address of the account, which the password must not repeat, like the network's name
 */
export async function passwordError(
  c: Context,
  { config, log }: Deps,
  password: string,
  ...related: string[]
): Promise<string | undefined> {
  const { errors } = c.get('texts');
  const problem = passwordProblem(password, config.NETWORK_NAME, ...related);
  if (problem === undefined) {
    // Without the list the other rules still hold, and people can still register.
    const logFailure = (error: unknown): false => {
      log.error({ err: error }, 'could not read the list of breached passwords');
      return false;
    };
    const breached = await isBreached(dataFolder(config), password).catch(logFailure);
    return breached ? errors.password_breached : undefined;
  }
  return problem === 'short' ? errors.password_short(MIN_PASSWORD) : errors[`password_${problem}`];
}

export async function showExpired(c: Context, deps: Deps): Promise<Response> {
  const { expired_title, expired, sign_in } = c.get('texts');
  const content = html`<p>${expired}</p>
    <p><a class="button" href="/sign-in">${sign_in.title}</a></p>`;
  return await showCard(c, deps, expired_title, content, { status: 410 });
}

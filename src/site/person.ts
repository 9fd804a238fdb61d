import { parse } from 'hono/utils/cookie';
import { html } from 'hono/html';
import { hostCookie, SITE_SESSION } from '#http/cookies.ts';
import { deriveFormToken } from '#http/form.ts';
import { ownPath } from '#http/links.ts';
import type { Html } from '#http/page.ts';
import { findConsoleSession } from '#store/accounts/console-sessions.ts';
import { type Account, requestedName } from '#store/accounts/accounts.ts';
import type { Deps, PageRequest, SignedIn } from './page-request.ts';

/**
 * Finds the person by the session cookie alone: its secret is looked up by its hash, and nothing else of the request counts.
 * Without the cookie nothing is read, so that pages without a session cost no query and are all the same.
 */
export async function signedInPerson(
  cookies: string | undefined,
  { db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>,
): Promise<SignedIn | undefined> {
  const name = hostCookie(SITE_SESSION, config.SITE_URL.startsWith('https:'));
  const secret = parse(cookies ?? '', name)[name];
  if (secret === undefined || secret === '') return undefined;
  const session = await findConsoleSession(db, clock.now(), secret);
  return session && { account: session.account, formToken: deriveFormToken(secret) };
}

/** For operators and moderators: the page of the console about what this page shows. */
function moderateLink({ text, url }: PageRequest, { role }: Account): Html | '' {
  const [, noun = '', id = ''] = /^\/(players|punishments)\/([^/]+)$/.exec(ownPath(url)) ?? [];
  if (role === 'user' || noun === '') return '';
  const page = noun === 'players' && role === 'moderator' ? `names?q=${id}` : `${noun}/${id}`;
  return html`<a class="moderate" rel="nofollow" href="/console/operator/${page}">${text.person.moderate}</a>`;
}

/** In the place of the face of a person without a game account. */
const PERSON_ICON = html`<svg width="24" height="24" viewBox="0 0 20 20" aria-hidden="true">
  <circle cx="10" cy="6.5" r="3.5" />
  <path d="M3 18a7 7 0 0 1 14 0" />
</svg>`;

/** The right end of the header: the link to sign in, or the menu of the person. */
export function personMenu(request: PageRequest, person: SignedIn | undefined): Html {
  const { text, url, deps } = request;
  if (person === undefined) {
    const to = new URLSearchParams({ to: ownPath(url) + url.search });
    return html`<a class="sign-in" rel="nofollow" href="/console/sign-in?${to.toString()}">${text.person.signIn}</a>`;
  }
  const { player_uuid: uuid, role } = person.account;
  const name = requestedName(person.account.name);
  const links = [
    ...(uuid === null ? [] : [{ href: `/players/${uuid}`, label: text.person.page }]),
    { href: `${deps.config.AUTH_URL}/account`, label: text.person.account },
    { href: '/console/applications', label: text.person.applications },
    ...(role === 'user' ? [] : [{ href: '/console', label: text.person.console }]),
  ];
  const head = html`<img class="identicon" src="/players/${uuid}/head" width="24" height="24" alt="" />`;
  const face = uuid === null ? PERSON_ICON : head;
  return html`${moderateLink(request, person.account)}
    <details class="person">
      <summary aria-label="${text.person.menu(name)}">${face} <bdi>${name}</bdi></summary>
      <ul>
        <li class="person-name"><bdi>${name}</bdi></li>
        ${links.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li>`)}
        <li>
          <form method="post" action="/console/sign-out">
            <input type="hidden" name="form_token" value="${person.formToken}" /><button class="quiet">
              ${text.person.signOut}
            </button>
          </form>
        </li>
      </ul>
    </details>`;
}

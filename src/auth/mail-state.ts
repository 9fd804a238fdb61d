import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { mailServerOf } from '#platform/mail/mail.ts';
import { mailFailureOf } from '#store/mail/mail-failures.ts';
import type { Context, Deps, Env } from './deps.ts';
import { showCard } from './layout.ts';

/** The page for people whose mail does not arrive: a mail server that hangs fails only after the first page. */
export function mailStatePages(app: Hono<Env>, deps: Deps): void {
  app.get('/mail', async (c) => {
    const { mail_state: t, back } = c.get('texts');
    const content = html`${(await failureNotice(c, deps)) ?? notice(t.works, 'good')}
      <p><a href="/sign-in">${back}</a></p>`;
    return await showCard(c, deps, t.title, content);
  });
}

/** The page after a form that sends a mail. */
export async function showMailSent(c: Context, deps: Deps, sentence: string): Promise<Response> {
  const content = html`${notice(sentence, 'good')} ${await mailStateNotice(c, deps)}`;
  return await showCard(c, deps, c.get('texts').mail_state.sent_title, content);
}

/**
 * Says that the mail server does not answer, or links to the page that says so later. It depends on the last mails of all
 * people, so it does not reveal whether this person gets one.
 */
export async function mailStateNotice(c: Context, deps: Deps): Promise<Html | string> {
  const link = html`<p class="hint"><a href="/mail">${c.get('texts').mail_state.link}</a></p>`;
  return (await failureNotice(c, deps)) ?? (deps.config.SMTP_URL === '' ? '' : link);
}

async function failureNotice(c: Context, { db, config }: Deps): Promise<Html | undefined> {
  const failure = await mailFailureOf(db, mailServerOf(config));
  return failure === undefined ? undefined : notice(c.get('texts').mail_state.fails, 'bad');
}

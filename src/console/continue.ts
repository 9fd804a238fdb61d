import { html } from 'hono/html';
import { formTo } from './components.ts';
import { consumePendingForm } from './reauthentication.ts';
import { page, type Route } from './routes.ts';

/** Offers the form that waited for the password. Only its button carries it out, because a GET changes nothing. */
const continuePage = page('/continue', async (request) => {
  const { c, deps, person, texts } = request;
  const pending = consumePendingForm(c, deps, person);
  if (pending === undefined) return '?done=again';
  const { password_again: t, cancel } = texts;
  const fields = Object.entries(pending.form).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  const main = html`<div class="card narrow stack">
    <h1>${t.title}</h1>
    <p>${t.lead}</p>
    ${formTo(request, pending.path, html`${fields}<button>${t.submit}</button>`)}
    <p><a href="/console">${cancel}</a></p>
  </div>`;
  return { title: t.title, main };
});

export const continueRoutes: readonly Route[] = [continuePage];

import { Person, type LoadedPage } from '#test/auth/person.ts';
import { everySignInPage } from '#test/auth/pages.ts';
import { PASSWORD } from '#test/auth/support.ts';
import { enter } from '#test/console/support.ts';
import { consolePages, type ConsoleWorld } from '#test/console/world.ts';
import { everyPage } from '#test/site/pages.ts';
import { responseText, recordRequest } from './requests.ts';
import type { World } from './world.ts';

export const LANGUAGES = ['en', 'ja'] as const;

export async function recordSite(world: World): Promise<void> {
  const { recording, site: origin, name, context } = world;
  for (const language of LANGUAGES)
    for (const { name: page, path } of await everyPage(context.db))
      await recordRequest(recording, `${name}/site/${language}/${page}.html`, {
        origin,
        path,
        wish: { headers: { 'accept-language': language } },
      });
}

export async function recordConsole(world: World, filled: ConsoleWorld): Promise<void> {
  const pages = await consolePages(world.context, filled);
  for (const language of LANGUAGES) {
    const visitor = await enter(world, 'Mariner', { 'accept-language': language });
    for (const { name: page, path } of pages)
      await recordPage(world, `console/${language}/${page}`, await visitor.console.open(path));
  }
}

export async function recordSignIn(world: World): Promise<void> {
  const { anonymous, unlinked, linked } = await everySignInPage(world);
  for (const language of LANGUAGES)
    for (const [login, pages] of [
      ['', anonymous],
      ['Robin', unlinked],
      ['Steve', linked],
    ] as const) {
      // Sessions are listed by their time.
      world.advance(1_000);
      const person = new Person(world.auth, { 'accept-language': language });
      if (login !== '') {
        await person.open('/sign-in');
        await person.submit({ login, password: PASSWORD });
      }
      for (const { name: page, path } of pages)
        await recordPage(world, `sign-in/${language}/${page}`, await person.open(path));
    }
}

export async function recordPage({ recording, name }: World, file: string, page: LoadedPage): Promise<void> {
  const { status, headers, html, url } = page;
  const response = responseText(status, Object.fromEntries(headers), Buffer.from(html));
  await recording.write(`${name}/${file}.html`, `${url}\n\n${response}`);
}

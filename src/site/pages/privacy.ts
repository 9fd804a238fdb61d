import { readFileSync, existsSync } from 'node:fs';
import { html } from 'hono/html';
import { UsageError } from '#platform/errors.ts';
import type { Config } from '#platform/config/config.ts';
import { COLON, type Language } from '#http/languages.ts';
import { contactHtml } from '#http/contact.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';

/** The paragraphs of the operator's privacy statement by language; undefined if there is none. */
export type Privacy = Record<Language, string[]> | undefined;

/**
 * Reads the operator's privacy statement (`PRIVACY`, and `PRIVACY.ja` if it exists).
 * @throws UsageError if the file cannot be read
 */
export function readPrivacy({ PRIVACY }: Config): Privacy {
  if (PRIVACY === '') return undefined;
  const en = read(PRIVACY);
  return { en, ja: existsSync(`${PRIVACY}.ja`) ? read(`${PRIVACY}.ja`) : en };
}

function read(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n\s*\n/).map((part) => part.trim()).filter(Boolean); // prettier-ignore
  } catch (error) {
    throw new UsageError(`PRIVACY cannot be read: ${(error as Error).message}.`);
  }
}

/** `/privacy`: the operator's statement, or a description of what the service stores. */
export function showPrivacy(privacy: Privacy): (request: PageRequest) => Promise<PageContent> {
  return async ({ text, language, deps }) => {
    const { NETWORK_NAME: network, CONTACT, PRIVATE_IN_MATCHES } = deps.config;
    const paragraphs = privacy?.[language] ?? text.privacy.paragraphs(network, PRIVATE_IN_MATCHES === 'hidden');
    return {
      title: text.frame.privacy,
      description: text.privacy.description(network),
      path: '/privacy',
      main: html`<h1>${text.frame.privacy}</h1>
        <div class="prose">
          ${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
          ${CONTACT === '' ? '' : html`<p>${text.frame.contact}${COLON[language]}${contactHtml(CONTACT)}</p>`}
        </div>`,
    };
  };
}

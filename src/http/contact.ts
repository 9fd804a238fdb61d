import { html } from 'hono/html';
import type { Config } from '#platform/config/config.ts';
import { contactLink } from './links.ts';
import type { Html } from './page.ts';

/** How a punished person objects: a web address, an e-mail address or any other text; empty if the operator set none. */
export const appealContact = ({ APPEAL_URL, CONTACT }: Pick<Config, 'APPEAL_URL' | 'CONTACT'>): string =>
  APPEAL_URL === '' ? CONTACT : APPEAL_URL;

/** A contact as text, with its link if it has one. */
export function contactHtml(contact: string): Html {
  const link = contactLink(contact);
  const label = html`<bdi>${contact}</bdi>`;
  return link === undefined ? label : html`<a href="${link}">${label}</a>`;
}

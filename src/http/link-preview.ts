import { html } from 'hono/html';
import type { Config } from '#platform/config/config.ts';
import type { Html } from './page.ts';

/** The `<head>` elements with which chats show a link to a page of the console or the sign-in: the card of the site. */
export function linkPreview({ SITE_URL, NETWORK_NAME }: Config, title: string): Html {
  return html`<meta property="og:site_name" content="${NETWORK_NAME}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:image" content="${SITE_URL}/cards/site.png" />
    <meta name="twitter:card" content="summary_large_image" />`;
}

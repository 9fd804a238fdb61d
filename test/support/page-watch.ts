import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Tags of axe's rules. */
export const RULES: readonly string[] = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
export const COLOURS: readonly string[] = ['color-contrast'];
/** The rules about the size of what the page shows. */
const SIZES: readonly string[] = ['target-size', 'scrollable-region-focusable'];
/** The rules about the words of a page, in which a translation can differ from the same page in English. */
const WORDS: readonly string[] = [
  ...['aria-command-name', 'button-name', 'document-title', 'empty-heading', 'empty-table-header', 'html-lang-valid'],
  ...['image-alt', 'input-button-name', 'label', 'label-content-name-mismatch', 'landmark-unique', 'link-name'],
  ...['select-name', 'summary-name', 'svg-img-alt', 'table-duplicate-name', 'valid-lang'],
];
export const NARROW = { width: 360, height: 780 };
export const WIDE = { width: 1280, height: 900 };

interface Expectations {
  /** Hosts that the page may request. */
  hosts: readonly string[];
  /** Whether the page may contain images as data URLs. */
  data?: boolean;
  /** Whether a console error is expected. */
  expects: (url: string, text: string) => boolean;
}

/** Collects the faults of a page: console errors, exceptions, dialogs, requests to other hosts, violations of its CSP. */
export async function watch(page: Page, { hosts, data = false, expects }: Expectations): Promise<string[]> {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !expects(message.location().url, message.text()))
      faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!hosts.includes(new URL(url).host) && !(data && url.startsWith('data:'))) faults.push(`request: ${url}`);
  });
  await page.exposeFunction('reportFault', (fault: string) => faults.push(fault));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    reportFault('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`);
  return faults;
}

/** A way to view a page: window size, colour scheme, and the axe rules to check. */
export interface Look {
  name: string;
  viewport: { width: number; height: number };
  colorScheme: 'light' | 'dark';
  rules: readonly string[];
}

/** The structure of a page does not depend on colours, and hardly on the size. */
export const LOOKS: readonly Look[] = [
  { name: 'narrow and light', viewport: NARROW, colorScheme: 'light', rules: RULES },
  { name: 'wide and dark', viewport: WIDE, colorScheme: 'dark', rules: [...COLOURS, ...SIZES] },
];

/** For one page with the navigation, which alone has other elements in narrow windows than in wide ones. */
export const LOOKS_OF_NAVIGATION: readonly Look[] = [
  { name: 'narrow and light', viewport: NARROW, colorScheme: 'light', rules: RULES },
  { name: 'narrow and dark', viewport: NARROW, colorScheme: 'dark', rules: COLOURS },
  { name: 'wide and light', viewport: WIDE, colorScheme: 'light', rules: RULES },
  { name: 'wide and dark', viewport: WIDE, colorScheme: 'dark', rules: COLOURS },
];

/** For a page that is also checked in English: structure and colours are the same. */
export const LOOKS_OF_TRANSLATION: readonly Look[] = [
  { name: 'narrow', viewport: NARROW, colorScheme: 'light', rules: [...WORDS, ...SIZES] },
  { name: 'wide', viewport: WIDE, colorScheme: 'light', rules: SIZES },
];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * Checks the loaded page in each look: axe, and whether the page is wider than the window. One load serves all looks, as
 * loading a page and injecting axe cost more CPU time than checking it. axe is injected through the debugger, because the
 * page's CSP allows no other script.
 * @returns the faults, each with the name of its look
 */
export async function violations(page: Page, looks: readonly Look[]): Promise<string[]> {
  await page.evaluate(AXE);
  // axe skips what is folded.
  await page.evaluate(`for (const details of document.querySelectorAll('main details')) details.open = true`);
  const faults: string[] = [];
  for (const { name, viewport, colorScheme, rules } of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    faults.push(...(await violationsNow(page, rules)).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

async function violationsNow(page: Page, rules: readonly string[]): Promise<string[]> {
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'], selectors: false });
  const found = await page.evaluate<Violation[]>(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return [
    ...(over > 0 ? [`${over} px wider than the window`] : []),
    ...found.flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`),
    ),
  ];
}

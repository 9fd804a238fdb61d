import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe looks for. */
export const RULES: readonly string[] = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
export const COLOURS: readonly string[] = ['color-contrast'];
export const NARROW = { width: 390, height: 844 };
export const WIDE = { width: 1280, height: 900 };

interface AttemptLimit {
  /** Hosts that may be asked. */
  hosts: readonly string[];
  /** Whether pictures may come inside the page. */
  data?: boolean;
  /** Errors of the console that belong there. */
  expects: (url: string, text: string) => boolean;
}

/** Collects whatever a page should not do: errors, dialogs, requests to other hosts, what the policy forbids. */
export async function watch(page: Page, { hosts, data = false, expects }: AttemptLimit): Promise<string[]> {
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
  await page.exposeFunction('tellFault', (fault: string) => faults.push(fault));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    tellFault('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`);
  return faults;
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * What keeps somebody out, by axe, whose script comes by the debugger: the policy of the page lets none in; and how much
 * wider the page is than its window.
 */
export async function violations(
  page: Page,
  rules: readonly string[],
  exclude: readonly string[] = [],
): Promise<string[]> {
  await page.evaluate(AXE);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] });
  const found = await page.evaluate<Violation[]>(
    `axe.run(${exclude.length === 0 ? 'document' : JSON.stringify({ exclude })}, ${options}).then(({ violations }) => violations)`,
  );
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

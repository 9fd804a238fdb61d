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

/** One way to see a page: the size of the window, the colours, and the rules of axe that are checked then. */
export interface Look {
  name: string;
  viewport: { width: number; height: number };
  colorScheme: 'light' | 'dark';
  rules: readonly string[];
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * Checks the loaded page in each look: axe, and whether the page is wider than the window. One load serves all looks, as
 * loading a page and injecting axe cost more CPU time than checking it. axe is injected with the debugger: the page's
 * policy allows no foreign script.
 *
 * @param exclude selectors of the parts that axe skips
 * @returns the faults, each with the name of its look
 */
export async function violations(
  page: Page,
  looks: readonly Look[],
  exclude: readonly string[] = [],
): Promise<string[]> {
  await page.evaluate(AXE);
  const faults: string[] = [];
  for (const { name, viewport, colorScheme, rules } of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    faults.push(...(await violationsNow(page, rules, exclude)).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

async function violationsNow(page: Page, rules: readonly string[], exclude: readonly string[]): Promise<string[]> {
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

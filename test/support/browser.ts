import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

interface Running {
  browser: Browser;
  folder: string;
}

const LINGER_MS = 500;
const RUNS_TESTS = process.env['TEST_COUNTS'] !== undefined;

// A hook outside of all tests runs after them.
if (RUNS_TESTS) after(() => stop());

/**
 * The browser of this process. Unpacking and starting it takes 3 CPU seconds, so it starts at the first request and stops
 * after all tests; outside a test run it stops half a second after its last user has closed it.
 */
let running: Promise<Running> | undefined;
let users = 0;
let lingering: NodeJS.Timeout | undefined;

/** One user's contexts in the shared browser: isolated from the cookies of other tests, and closed with this object. */
export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  #open = true;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.#browser.newContext(options);
    this.#contexts.push(context);
    return context;
  }

  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    return (await this.newContext(options)).newPage();
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await Promise.all(this.#contexts.map((context) => context.close()));
    release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Opens a Chromium that reaches only this machine. The caller closes it (`await using browser = await launchBrowser()`);
 * otherwise the test run does not end. The packaged Chromium is for Linux on x64; TEST_BROWSER names another one.
 */
export async function launchBrowser(): Promise<TestBrowser> {
  users++;
  clearTimeout(lingering);
  try {
    const { browser } = await (running ??= start());
    return new TestBrowser(browser);
  } catch (error) {
    users--;
    running = undefined;
    throw error;
  }
}

function release(): void {
  users--;
  if (users === 0 && !RUNS_TESTS) lingering = setTimeout(() => void stop(), LINGER_MS);
}

async function stop(): Promise<void> {
  const stopping = running;
  running = undefined;
  const { browser, folder } = (await stopping) ?? {};
  await browser?.close();
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function start(): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-browser-'));
  try {
    const { executablePath, env } = await browserCommand(folder);
    const browser = await chromium.launch({
      executablePath,
      env: { ...process.env, ...env, HOME: folder, TMPDIR: folder },
      args: [
        '--disable-gpu',
        '--no-zygote',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]',
      ],
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    return { browser, folder };
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    throw new Error('The browser for the tests does not start. Set TEST_BROWSER to the path of a Chromium or Chrome.', {
      cause: error,
    });
  }
}

async function browserCommand(folder: string): Promise<{ executablePath: string; env: Record<string, string> }> {
  const configured = process.env['TEST_BROWSER'];
  if (configured) return { executablePath: configured, env: {} };
  const script = join(import.meta.dirname, 'unpack-browser.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { ...process.env, HOME: folder, TMPDIR: folder },
  });
  return JSON.parse(stdout) as { executablePath: string; env: Record<string, string> };
}

import type { Person } from '#test/auth/person.ts';
import { tokenOn } from '#test/console/support.ts';
import { recordPage } from '../pages.ts';
import { fileName } from '../recording.ts';
import type { World } from '../world.ts';

export type Fields = Record<string, string>;

let count = 0;

/** One person at the console. */
export class RecordedBrowser {
  readonly #world: World;
  readonly #name: string;
  readonly browser: Person;

  constructor(world: World, name: string, browser: Person) {
    this.#world = world;
    this.#name = name;
    this.browser = browser;
  }

  async open(title: string, path: string): Promise<void> {
    await this.browser.open(path);
    await this.#record(title);
  }

  /** Submits the form with this action on a page, with some of its fields changed, and confirms it if the console asks. */
  async act(title: string, page: string, action: string, fields: Fields = {}): Promise<void> {
    const { browser } = this;
    await browser.open(page);
    const token = /name="form_token" value="([^"]+)"/.exec(browser.page.html)?.[1] ?? '';
    const names = Object.keys(fields);
    const forms = browser.forms().filter((one) => one.action === action && 'form_token' in one.fields);
    const form = forms.find((one) => names.every((name) => name in one.fields)) ?? { fields: { form_token: token } };
    await browser.post(action, { ...form.fields, ...fields });
    await this.#record(title);
    const asked = browser.forms().find((one) => one.fields['confirmed'] === 'yes');
    if (asked !== undefined) {
      await browser.post(asked.action, asked.fields);
      await this.#record(`${title} confirmed`);
    }
    this.#world.advance(1_000);
  }

  async upload(page: string, action: string, logo: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.browser.open(page);
    const form_token = tokenOn(this.browser.page.html);
    await this.browser.upload(action, { form_token, logo: new Blob([logo], { type: 'image/png' }) });
    await this.#record('logo');
  }

  /** The value of a field in the forms of the present page. */
  value(name: string): string {
    return this.browser.forms().flatMap(({ fields }) => fields[name] ?? [])[0] ?? '';
  }

  async #record(title: string): Promise<void> {
    const number = String(++count).padStart(3, '0');
    await recordPage(this.#world, `console-acts/${number}-${fileName(`${this.#name} ${title}`)}`, this.browser.page);
  }
}

import { Person } from '#test/auth/person.ts';
import { PASSWORD } from '#test/auth/support.ts';
import { recordPage } from './pages.ts';
import { fileName } from './recording.ts';
import { recordRequest } from './requests.ts';
import type { World } from './world.ts';

let count = 0;

/** Pages of the sign-in service, recorded in their order. */
export class Flow {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  browser(): Person {
    this.#world.advance(1_000);
    return new Person(this.#world.auth, { 'accept-language': 'en' });
  }

  async open(title: string, person: Person, path: string): Promise<void> {
    await person.open(path);
    await this.record(title, person);
  }

  /** Submits the form of the present page with this action and these fields; records the page if it has no such form. */
  async submit(title: string, person: Person, fields: Record<string, string>, action = ''): Promise<void> {
    const names = Object.keys(fields);
    const form = person
      .forms()
      .find((one) => one.action.split('?')[0]!.endsWith(action) && names.every((name) => name in one.fields));
    if (form !== undefined) await person.post(form.action, { ...form.fields, ...fields });
    await this.record(form === undefined ? `${title} without a form` : title, person);
    this.#world.advance(1_000);
  }

  async post(title: string, person: Person, path: string, fields: Record<string, string> = {}): Promise<void> {
    await person.post(path, fields);
    await this.record(title, person);
    this.#world.advance(1_000);
  }

  async record(title: string, person: Person): Promise<void> {
    await recordPage(this.#world, `sign-in-acts/${this.#name(title)}`, person.page);
  }

  /** An endpoint of the protocol, with a form or without. */
  async call(title: string, path: string, fields?: Record<string, string>, headers: Record<string, string> = {}) {
    const body = fields === undefined ? undefined : new URLSearchParams(fields).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return await recordRequest(this.#world.recording, `${this.#world.name}/protocol/${this.#name(title)}.txt`, {
      origin: this.#world.auth,
      path,
      wish: body === undefined ? { headers } : { method: 'POST', body, headers: { ...type, ...headers } },
    });
  }

  #name = (title: string): string => fileName(`${String(++count).padStart(3, '0')} ${title}`);
}

/** The next link of a page that was mailed to an address; mails without one are read over. */
export async function linkOf({ mail }: World, to: string, page = ''): Promise<string> {
  for (;;) {
    const found = (await mail.next(to)).links.find((one) => one.includes(page) && one.includes('token='));
    if (found !== undefined) return found;
  }
}

export async function signedIn(flow: Flow, login: string, password = PASSWORD): Promise<Person> {
  const person = flow.browser();
  await person.open('/sign-in');
  await flow.submit(`sign in ${login}`, person, { login, password });
  return person;
}

import assert from 'node:assert/strict';

/** A response as the browser shows it. */
export interface LoadedPage {
  status: number;
  url: string;
  html: string;
  headers: Headers;
}

interface FormOnPage {
  action: string;
  /** Values that a browser would send; undefined for an unchecked box, which sends nothing. */
  fields: Record<string, string | undefined>;
}

/** A browser without JavaScript: stores cookies by path, submits forms, follows redirects within the service. */
export class Person {
  readonly #origin: string;
  readonly #cookies = new Map<string, { value: string; path: string }>();
  readonly #headers: Record<string, string>;
  #page: LoadedPage | undefined;
  /** The status of each redirect so far. */
  readonly redirects: number[] = [];

  constructor(origin: string, headers: Record<string, string> = {}) {
    this.#origin = origin;
    this.#headers = headers;
  }

  get page(): LoadedPage {
    return this.#page!;
  }

  /** Opens a URL and follows redirects until they leave the service; then only `url` changes. */
  async open(address: string): Promise<LoadedPage> {
    return await this.#go(new URL(address, this.#origin), { method: 'GET' });
  }

  /** Fills in and submits the first form whose action ends with `action`. */
  async submit(values: Record<string, string> = {}, action = ''): Promise<LoadedPage> {
    const form = this.forms().find((candidate) => candidate.action.split('?')[0]!.endsWith(action));
    assert.ok(form, `no form ${action} on ${this.page.url}:\n${this.page.html}`);
    for (const name of Object.keys(values)) assert.ok(name in form.fields, `no field ${name} in ${form.action}`);
    return await this.post(form.action, { ...form.fields, ...values });
  }

  async post(
    path: string,
    fields: Record<string, string | undefined>,
    headers: Record<string, string> = {},
  ): Promise<LoadedPage> {
    const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
    const body = new URLSearchParams(Object.fromEntries(sent) as Record<string, string>);
    return await this.#go(new URL(path, this.#origin), {
      method: 'POST',
      body,
      headers: { origin: this.#origin, 'sec-fetch-site': 'same-origin', ...headers },
    });
  }

  /** Sends a form with files. */
  async upload(path: string, fields: Record<string, string | Blob>): Promise<LoadedPage> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const headers = { origin: this.#origin, 'sec-fetch-site': 'same-origin' };
    return await this.#go(new URL(path, this.#origin), { method: 'POST', body, headers });
  }

  /** Loads a picture, which is no page. */
  async image(path: string): Promise<{ bytes: ArrayBuffer; cacheControl: string; headers: Headers }> {
    const url = new URL(path, this.#origin);
    const response = await fetch(url, { headers: { ...this.#headers, cookie: this.#cookieHeader(url) } });
    assert.equal(response.status, 200, path);
    const { headers } = response;
    return { bytes: await response.arrayBuffer(), cacheControl: headers.get('cache-control') ?? '', headers };
  }

  forms(): FormOnPage[] {
    return [...this.page.html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action, inner]) => ({
      action: decodeEntities(action!),
      fields: fieldsIn(inner!),
    }));
  }

  /** Text of the page without markup. */
  get text(): string {
    return decodeEntities(this.page.html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' '));
  }

  /** The values of all cookies by name. */
  get cookies(): ReadonlyMap<string, string> {
    return new Map([...this.#cookies].map(([name, { value }]) => [name, value]));
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name)?.value;
  }

  /** Another browser with copies of all cookies. */
  copy(): Person {
    const copy = new Person(this.#origin, this.#headers);
    for (const [name, cookie] of this.#cookies) copy.#cookies.set(name, cookie);
    return copy;
  }

  async #go(url: URL, init: RequestInit): Promise<LoadedPage> {
    const headers = { ...this.#headers, ...(init.headers as Record<string, string>), cookie: this.#cookieHeader(url) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    this.#storeCookies(response.headers);
    const html = await response.text();
    this.#page = { status: response.status, url: url.href, html, headers: response.headers };
    const location = response.headers.get('location');
    if (location === null) return this.#page;
    this.redirects.push(response.status);
    const next = new URL(location, url);
    if (next.origin === this.#origin) return await this.#go(next, { method: 'GET' });
    return (this.#page = { ...this.#page, url: next.href });
  }

  #cookieHeader(url: URL): string {
    const matching = [...this.#cookies].filter(
      ([, { path }]) => path === '/' || url.pathname === path || url.pathname.startsWith(`${path}/`),
    );
    return matching.map(([name, { value }]) => `${name}=${value}`).join('; ');
  }

  #storeCookies(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/;\s*/);
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path });
    }
  }
}

function fieldsIn(form: string): Record<string, string | undefined> {
  const fields: Record<string, string | undefined> = {};
  for (const [, attributes, text] of form.matchAll(/<textarea([^>]*)>([^<]*)<\/textarea>/g))
    fields[attributeOf(attributes!, 'name')] = decodeEntities(text!);
  for (const [, attributes, options] of form.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)) {
    const chosen = /<option([^>]*)\sselected/.exec(options!)?.[1] ?? /<option([^>]*)/.exec(options!)?.[1] ?? '';
    fields[attributeOf(attributes!, 'name')] = attributeOf(chosen, 'value');
  }
  for (const [, attributes] of form.matchAll(/<input([^>]*)>/g)) {
    const name = attributeOf(attributes!, 'name');
    const isBox = /type="(radio|checkbox)"/.test(attributes!);
    if (!isBox || /\schecked/.test(attributes!)) fields[name] = attributeOf(attributes!, 'value');
    else fields[name] ??= undefined;
  }
  return fields;
}

function attributeOf(attributes: string, name: string): string {
  return decodeEntities(new RegExp(`\\s${name}="([^"]*)"`, 's').exec(attributes)?.[1] ?? '');
}

function decodeEntities(html: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!);
}

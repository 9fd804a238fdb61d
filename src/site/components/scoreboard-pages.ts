import { html } from 'hono/html';
import { HttpError } from '#http/errors.ts';
import type { Html } from '#http/page.ts';
import type { PageRequest } from '../page-request.ts';

const PLAYERS_PER_PAGE = 100;

/** Divides the rows of all scoreboards of a match into pages (`players=2`): a match may have 1,000 players. */
export class ScoreboardPages {
  readonly #request: PageRequest;
  readonly #page: number;
  #rows = 0;

  /** @throws HttpError 400 */
  constructor(request: PageRequest) {
    const value = request.query('players') ?? '1';
    if (!/^[1-9]\d{0,3}$/.test(value)) throw new HttpError(400, 'players', request.text.error.parameter('players'));
    this.#request = request;
    this.#page = Number(value);
  }

  /** The places of the next scoreboard that the page shows; undefined if it shows none of them. */
  place(players: number): { from: number; to: number } | undefined {
    const rows = Math.max(1, players);
    const from = (this.#page - 1) * PLAYERS_PER_PAGE - this.#rows;
    this.#rows += rows;
    const to = from + PLAYERS_PER_PAGE;
    return to <= 0 || from >= rows ? undefined : { from: Math.max(0, from), to: Math.min(rows, to) };
  }

  /** The links to the other pages, once all scoreboards have their places. */
  links(): Html {
    if (this.#rows <= PLAYERS_PER_PAGE) return html``;
    const { text, formats } = this.#request;
    const link = (page: number, label: string, rel: string): Html => {
      const address = this.#request.link({ players: page === 1 ? undefined : String(page) });
      return html`<a href="${address}#players" rel="${rel}" aria-label="${label}">${rel === 'prev' ? '←' : '→'}</a>`;
    };
    const last = Math.ceil(this.#rows / PLAYERS_PER_PAGE);
    const first = (Math.min(this.#page, last) - 1) * PLAYERS_PER_PAGE + 1;
    const end = Math.min(this.#rows, first + PLAYERS_PER_PAGE - 1);
    return html`<nav class="stretch" aria-label="${text.match.playerPages}">
      ${this.#page > 1 ? link(this.#page - 1, text.boards.earlier, 'prev') : html`<span></span>`}
      <span>${text.match.playerRange(formats.number(first), formats.number(end), formats.number(this.#rows))}</span>
      ${this.#page < last ? link(this.#page + 1, text.pager.next, 'next') : html`<span></span>`}
    </nav>`;
  }
}

import type { OutgoingResponse } from '#http/outgoing.ts';
import { idOf } from '#platform/ids.ts';
import type { Change } from '#store/game/changes.ts';
import { type MatchFacts, matchHeadByKey } from '#store/game/matches.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { hasDelivered } from '#store/applications/webhooks/deliveries.ts';
import type { Addressee, Batch, DeliveryDeps, Form, Request } from './form.ts';
import { BUSY_MS, MAX_RETRY_AFTER_MS, type Outcome, retryAfterMs } from './outcome.ts';

/** Discord's maximum per message. */
const MAX_EMBEDS = 10;
/** Ten embeds have at most 6,000 characters. */
const MAX_TITLE = 150;
const MAX_TEXT = 400;
/** Older matches and punishments, which an import adds, are no news. */
const NEWS_MS = 86_400_000;
const MATCH_COLOUR = 0x1f6f78;
const PUNISHMENT_COLOUR = 0xb5361c;

interface Embed {
  title: string;
  url: string;
  description: string;
  color: number;
  timestamp: string;
}

/** New matches and punishments in a channel of Discord, several in a message. */
export class DiscordForm implements Form {
  readonly #deps: DeliveryDeps;
  readonly #addressee: Addressee;

  constructor(deps: DeliveryDeps, addressee: Addressee) {
    this.#deps = deps;
    this.#addressee = addressee;
  }

  async batch(found: readonly Change[], isAgain: boolean): Promise<Batch> {
    const [changes, embeds]: [Change[], Embed[]] = [[], []];
    let last = 0;
    for (const change of found) {
      const embed = await (isAgain ? this.#embedOf(change) : this.#newsIn(change));
      last = change.number;
      if (embed === undefined) continue;
      changes.push(change);
      if (embeds.push(embed) === MAX_EMBEDS) break;
    }
    return { changes, last, request: changes.length === 0 ? undefined : this.#post({ embeds }) };
  }

  message(): Request {
    const { config } = this.#deps.context;
    return this.#post({
      content: `${escaped(config.NETWORK_NAME)} sends new matches and punishments to this channel.`,
    });
  }

  #post(message: object): Request {
    const { webhook, secrets } = this.#addressee;
    const { origin, pathname } = new URL(webhook.url);
    const url = `${this.#deps.discordOrigin ?? origin}${pathname}/${secrets[0]}?wait=true`;
    const body = JSON.stringify({ ...message, allowed_mentions: { parse: [] } });
    return { url, method: 'POST', headers: { 'content-type': 'application/json' }, body };
  }

  /** Discord counts wrong requests, so one that it refuses is not sent again. */
  outcome(response: OutgoingResponse, now: number): Pick<Outcome, 'kind' | 'pauseMs'> {
    const { status, headers } = response;
    const isFull = headers['x-ratelimit-remaining'] === '0';
    const pauseMs = retryAfterMs(response, now) ?? (isFull ? resetMs(headers) : undefined);
    if (status >= 200 && status < 300) return { kind: 'delivered', pauseMs };
    if (status === 429) return { kind: 'busy', pauseMs: pauseMs ?? BUSY_MS };
    if (status >= 500) return { kind: 'failed' };
    return { kind: [401, 403, 404, 410].includes(status) ? 'gone' : 'refused', pauseMs };
  }

  /** The feed has the newest change alone of a resource, so one that is not posted may be `changed` already. */
  async #newsIn(change: Change): Promise<Embed | undefined> {
    const { webhook } = this.#addressee;
    const { db, clock } = this.#deps.context;
    const isNew = change.type === 'created';
    const oldest = Math.max(clock.now() - NEWS_MS, isNew ? 0 : webhook.created);
    const embed = await this.#embedOf(change);
    if (embed === undefined || Date.parse(embed.timestamp) < oldest) return undefined;
    return isNew || !(await hasDelivered(db, webhook.key, change)) ? embed : undefined;
  }

  async #embedOf({ kind, key }: Change): Promise<Embed | undefined> {
    if (kind === 'match') return await this.#matchEmbed(key);
    return kind === 'punishment' ? await this.#punishmentEmbed(key) : undefined;
  }

  async #matchEmbed(key: number): Promise<Embed | undefined> {
    const { db, config } = this.#deps.context;
    const match = await matchHeadByKey(db, key);
    if (match === undefined) return undefined;
    const { map, gamemode, server, win } = JSON.parse(`${match.head}}`) as MatchFacts;
    const result = win === '' ? 'No team won' : `**${cut(win, MAX_TITLE)}** won`;
    return {
      title: cut(map, MAX_TITLE),
      url: `${config.SITE_URL}/matches/${idOf(key)}`,
      description: `${result} · ${cut(gamemode, MAX_TITLE)} · ${cut(server, MAX_TITLE)}`,
      color: MATCH_COLOUR,
      timestamp: new Date(match.finished).toISOString(),
    };
  }

  async #punishmentEmbed(key: number): Promise<Embed | undefined> {
    const { db, config, clock } = this.#deps.context;
    const punishment = await punishmentByKey(db, key, clock.now());
    if (punishment === undefined || punishment.revocation !== null) return undefined;
    const { type, punished, reason, time, expires } = punishment;
    const until = expires === null ? '' : `\nuntil <t:${Math.floor(expires / 1000)}:f>`;
    return {
      title: `${cut(type, MAX_TITLE)}: ${cut(punished.name, MAX_TITLE)}`,
      url: `${config.SITE_URL}/punishments/${idOf(key)}`,
      description: `${cut(reason, MAX_TEXT)}${until}`,
      color: PUNISHMENT_COLOUR,
      timestamp: new Date(time).toISOString(),
    };
  }
}

const cut = (text: string, max: number): string => escaped(text.length > max ? `${text.slice(0, max - 1)}…` : text);

/** Names of players and maps must not format text, link or mention. */
const escaped = (text: string): string => text.replace(/[\\*_~`|>#[\]()<:@-]/g, String.raw`\$&`);

/** When Discord accepts further messages in the channel. */
function resetMs(headers: OutgoingResponse['headers']): number | undefined {
  const seconds = Number(headers['x-ratelimit-reset-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(MAX_RETRY_AFTER_MS, Math.ceil(seconds * 1000)) : undefined;
}

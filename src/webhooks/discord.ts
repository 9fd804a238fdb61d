import type { OutgoingResponse } from '#http/outgoing.ts';
import { idOf } from '#platform/ids.ts';
import type { Change } from '#store/game/changes.ts';
import { type MatchFacts, matchHeadByKey } from '#store/game/matches.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { addDelivery, hasDelivered } from '#store/applications/webhooks/deliveries.ts';
import {
  type DeliveryDeps,
  type Receiver,
  type Send,
  type Step,
  switchOff,
  turnOffAfterFailures,
} from './delivery-step.ts';
import { busyUntil, type Outcome, resultOf, retryAfterMs } from './outcome.ts';

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

interface Posted {
  change: Change;
  embed: Embed;
}

/** Sends new matches and punishments to a channel of Discord, several in a message. */
export class DiscordChannel implements Receiver {
  readonly #deps: DeliveryDeps;
  readonly #step: Step;
  readonly #send: Send;

  constructor(deps: DeliveryDeps, step: Step, send: Send) {
    this.#deps = deps;
    this.#step = step;
    this.#send = send;
  }

  /** @returns whether the following changes can be sent */
  async sendChanges(found: readonly Change[]): Promise<boolean> {
    const posted: Posted[] = [];
    let last = found[0]!;
    for (const change of found) {
      const embed = await this.#newsIn(change);
      if (embed !== undefined && posted.push({ change, embed }) === MAX_EMBEDS) {
        last = change;
        break;
      }
      last = change;
    }
    if (posted.length === 0) return await this.#step.progress.pass(this.#deps.context.db, last.number);
    const outcome = await this.#post(posted);
    if (outcome === undefined) return false;
    if (outcome.kind === 'refused' && posted.length > 1) return await this.#sendSingly(posted, last.number);
    return await this.#record(posted, outcome, last.number);
  }

  /** Discord refuses a message if it refuses one of its embeds. */
  async #sendSingly(posted: readonly Posted[], place: number): Promise<boolean> {
    for (const one of posted) {
      const outcome = await this.#post([one]);
      if (outcome === undefined) return false;
      const reached = one === posted.at(-1) ? place : one.change.number;
      if (!(await this.#record([one], outcome, reached))) return false;
    }
    return true;
  }

  async #record(posted: readonly Posted[], outcome: Outcome, place: number): Promise<boolean> {
    const { db, clock } = this.#deps.context;
    const { webhook, progress } = this.#step;
    const now = clock.now();
    const { kind, result, pauseMs } = outcome;
    const state =
      ({ delivered: 'delivered', refused: 'set_aside', gone: 'set_aside' } as const)[kind as 'gone'] ?? 'replaced';
    return await db.transaction(
      async (tx) => {
        if (!(await progress.isHeld(tx))) return false;
        for (const { change } of posted) {
          const type = `${change.kind}.${change.type}`;
          await addDelivery(tx, now, webhook.key, { type, change, state, attempts: 1, next_attempt: null, result });
        }
        if (kind === 'gone') return !(await switchOff(tx, now, webhook.key, 'gone'));
        if (kind === 'delivered' || kind === 'refused') {
          await progress.succeeded(tx, now, place);
          if (pauseMs !== undefined) await progress.hold(tx, now + pauseMs);
          return pauseMs === undefined;
        }
        await progress.pause(tx, now, { reason: 'slow_down', until: busyUntil(now, webhook.pauses, pauseMs) });
        await turnOffAfterFailures(tx, now, this.#step);
        return false;
      },
      { durable: false },
    );
  }

  /** A change that its owner sends again. */
  async sendChange(change: Change): Promise<Outcome | undefined> {
    const embed = await this.#embedOf(change);
    if (embed !== undefined) return await this.#post([{ change, embed }]);
    return {
      kind: 'refused',
      result: { status: null, reason: 'no_message', ms: null, response: '' },
      pauseMs: undefined,
    };
  }

  sendMessage(): Promise<Outcome | undefined> {
    const { config } = this.#deps.context;
    const content = `${escaped(config.NETWORK_NAME)} sends new matches and punishments to this channel.`;
    return this.#request('?wait=true', { content });
  }

  /** Reading the address shows nothing in the channel. */
  probe(): Promise<Outcome | undefined> {
    return this.#request('', undefined);
  }

  #post(posted: readonly Posted[]): Promise<Outcome | undefined> {
    return this.#request('?wait=true', { embeds: posted.map(({ embed }) => embed) });
  }

  #request(query: string, message: object | undefined): Promise<Outcome | undefined> {
    const { webhook, secrets } = this.#step;
    const { origin, pathname } = new URL(webhook.url);
    const url = `${this.#deps.discordOrigin ?? origin}${pathname}/${secrets[0]}${query}`;
    if (message === undefined) return this.#send(url, {}, discordOutcome);
    const body = JSON.stringify({ ...message, allowed_mentions: { parse: [] } });
    const headers = { 'content-type': 'application/json' };
    return this.#send(url, { method: 'POST', headers, body }, discordOutcome);
  }

  /** The feed has the newest change alone of a resource, so one that is not posted may be `changed` already. */
  async #newsIn(change: Change): Promise<Embed | undefined> {
    const { webhook } = this.#step;
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

/** What a response of Discord means: it counts wrong requests, so what it does not know is not asked again. */
function discordOutcome(response: OutgoingResponse, ms: number, now: number): Outcome {
  const { status, headers } = response;
  const result = resultOf(response, ms);
  const outcome = (kind: Outcome['kind'], pauseMs?: number): Outcome => ({ kind, result, pauseMs });
  const pauseMs =
    retryAfterMs(response, now) ?? (headers['x-ratelimit-remaining'] === '0' ? resetMs(headers) : undefined);
  if (status >= 200 && status < 300) return outcome('delivered', pauseMs);
  if (status === 429 || status >= 500) return outcome('busy', pauseMs);
  if ([401, 403, 404, 410].includes(status)) return outcome('gone');
  return outcome('refused', pauseMs);
}

/** When Discord accepts further messages in the channel. */
function resetMs(headers: OutgoingResponse['headers']): number | undefined {
  const seconds = Number(headers['x-ratelimit-reset-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(86_400_000, Math.ceil(seconds * 1000)) : undefined;
}

import { randomUUID } from 'node:crypto';
import type { WireEvent } from '#events/schema.ts';
import { Random } from '#demo/network/random.ts';
import type { BenchRequest } from '../case.ts';
import type { BenchHistory } from '../generated-history.ts';
import { independent, periodic } from './schedule.ts';

export type Service = 'API' | 'SITE' | 'INGEST';

/** One request and when it is due, in milliseconds since the start. */
export interface PlannedRequest extends BenchRequest {
  service: Service;
  at: number;
}

/** What clients of a network know: how to make a request of the data API or of the site, and the servers' keys. */
export interface Clients {
  api(random: Random): BenchRequest;
  site(random: Random): BenchRequest;
  keys: readonly string[];
  season: BenchHistory;
}

export const SERVERS = 300;
const API_PER_SECOND = 500;
const SITE_PER_SECOND = 10;
const HEARTBEAT_S = 30;
const MATCH_S = 6 * 60;
const PLAYERS_PER_SERVER = 15;
/** Players stay half an hour. */
const LOGIN_S = (30 * 60) / PLAYERS_PER_SERVER;

/**
 * The requests of a busy evening in the order in which they are due.
 * @param rate the share of the servers, requests and page views that a busy evening has
 * @param start the moment of the start in epoch milliseconds, by which events are dated
 */
export function planEvening(clients: Clients, rate: number, seconds: number, start: number): PlannedRequest[] {
  const random = new Random('evening', start);
  const plan: PlannedRequest[] = [
    ...independent(random, API_PER_SECOND * rate, seconds).map((at) => planned('API', at, clients.api(random))),
    ...independent(random, SITE_PER_SECOND * rate, seconds).map((at) => planned('SITE', at, clients.site(random))),
  ];
  for (const [number, key] of clients.keys.slice(0, Math.ceil(SERVERS * rate)).entries()) {
    const server = new GameServer(clients.season, number, random);
    for (const { at, event } of server.events(seconds, start)) plan.push(planned('INGEST', at, post(key, event)));
  }
  return plan.toSorted((a, b) => a.at - b.at);
}

const planned = (service: Service, at: number, ask: BenchRequest): PlannedRequest => ({ ...ask, service, at });

function post(key: string, event: WireEvent): BenchRequest {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return { method: 'POST', path: '/events', headers, body: JSON.stringify(event) };
}

interface TimedEvent {
  at: number;
  event: WireEvent;
}

class GameServer {
  readonly #season: BenchHistory;
  readonly #players: readonly { uuid: string; name: string }[];
  readonly #random: Random;

  constructor(history: BenchHistory, number: number, random: Random) {
    this.#season = history;
    this.#players = Array.from(
      { length: PLAYERS_PER_SERVER },
      (_, place) => history.players[(number * PLAYERS_PER_SERVER + place) % history.players.length]!,
    );
    this.#random = random;
  }

  *events(seconds: number, start: number): Generator<TimedEvent> {
    const every = (interval: number): number[] => periodic(this.#random, interval, seconds);
    const player = (): { uuid: string; name: string } => this.#random.pick(this.#players);
    for (const at of every(HEARTBEAT_S)) yield { at, event: this.#heartbeat(envelope(start + at)) };
    for (const at of every(MATCH_S)) yield { at, event: this.#match(start + at) };
    for (const at of every(LOGIN_S))
      yield { at, event: { ...envelope(start + at), type: 'player.login', data: { player: player() } } };
    for (const at of every(LOGIN_S))
      yield { at, event: { ...envelope(start + at), type: 'player.logout', data: { player: player() } } };
  }

  #heartbeat(head: Envelope): WireEvent {
    const players = this.#players.map(({ name }) => name);
    return { ...head, type: 'server.presence', data: { current: players.length, players, gamemode: 'ctw' } };
  }

  #match(finished: number): WireEvent {
    const { server: _, ...match } = this.#season.match(this.#random, 0, Math.floor(finished)).wire;
    return { ...match, id: randomUUID() };
  }
}

type Envelope = Pick<WireEvent, 'version' | 'id' | 'time'>;

function envelope(time: number): Envelope {
  return { version: 1, id: randomUUID(), time: new Date(time).toISOString() };
}

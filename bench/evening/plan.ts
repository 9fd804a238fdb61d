import { randomUUID } from 'node:crypto';
import type { WireEvent } from '#events/schema/index.ts';
import { Random } from '#demo/network/random.ts';
import type { BenchRequest } from '../case.ts';
import type { BenchHistory } from '../generated-history.ts';
import { independent, periodic } from './schedule.ts';

export type Service = 'API' | 'SITE' | 'INGEST';

export interface PlannedRequest extends BenchRequest {
  service: Service;
  /** When to send the request, in milliseconds since the start. */
  at: number;
}

/** The clients of an evening. */
export interface Clients {
  /** Makes a request to the data API. */
  api(random: Random): BenchRequest;
  /** Makes a request to the site. */
  site(random: Random): BenchRequest;
  /** The ingest keys of the game servers. */
  keys: readonly string[];
  /** The source of the players and matches that game servers report. */
  history: BenchHistory;
}

export const SERVERS = 300;
const API_PER_SECOND = 500;
const SITE_PER_SECOND = 10;
const HEARTBEAT_S = 30;
const MATCH_S = 6 * 60;
const PLAYERS_PER_SERVER = 15;
/** Players stay for half an hour. */
const LOGIN_S = (30 * 60) / PLAYERS_PER_SERVER;

/**
 * Plans the requests of a busy evening, in the order of their times.
 * @param rate the factor of the number of servers, requests and page views
 * @param start the start in epoch milliseconds, from which the events get their timestamps
 */
export function planEvening(clients: Clients, rate: number, seconds: number, start: number): PlannedRequest[] {
  const random = new Random('evening', start);
  const plan: PlannedRequest[] = [
    ...independent(random, API_PER_SECOND * rate, seconds).map((at) => planned('API', at, clients.api(random))),
    ...independent(random, SITE_PER_SECOND * rate, seconds).map((at) => planned('SITE', at, clients.site(random))),
  ];
  for (const [number, key] of clients.keys.slice(0, Math.ceil(SERVERS * rate)).entries()) {
    const server = new GameServer(clients.history, number, random);
    for (const { at, event } of server.events(seconds, start)) plan.push(planned('INGEST', at, post(key, event)));
  }
  return plan.toSorted((a, b) => a.at - b.at);
}

const planned = (service: Service, at: number, request: BenchRequest): PlannedRequest => ({ ...request, service, at });

function post(key: string, event: WireEvent): BenchRequest {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return { method: 'POST', path: '/events', headers, body: JSON.stringify(event) };
}

interface TimedEvent {
  at: number;
  event: WireEvent;
}

class GameServer {
  readonly #history: BenchHistory;
  readonly #players: readonly { uuid: string; name: string }[];
  readonly #random: Random;

  constructor(history: BenchHistory, number: number, random: Random) {
    this.#history = history;
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
    for (const at of every(MATCH_S)) yield { at, event: this.#history.reportedMatch(this.#random, start + at) };
    for (const at of every(LOGIN_S))
      yield { at, event: { ...envelope(start + at), type: 'player.login', data: { player: player() } } };
    for (const at of every(LOGIN_S))
      yield { at, event: { ...envelope(start + at), type: 'player.logout', data: { player: player() } } };
  }

  #heartbeat(head: Envelope): WireEvent {
    const players = this.#players.map(({ name }) => name);
    return { ...head, type: 'server.presence', data: { current: players.length, players, gamemode: 'ctw' } };
  }
}

type Envelope = Pick<WireEvent, 'version' | 'id' | 'time'>;

function envelope(time: number): Envelope {
  return { version: 1, id: randomUUID(), time: new Date(time).toISOString() };
}

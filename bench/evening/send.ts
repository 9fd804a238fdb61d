import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedRequest, Service } from './plan.ts';

export type Ports = Record<Service, number>;

/** The results of the requests to one service. */
export interface Sent {
  /** Milliseconds from the planned time of each request to its response. */
  times: number[];
  /** One sentence for each failed request. */
  errors: string[];
}

const TIMEOUT_MS = 10_000;
const CONNECTIONS = 512;

/**
 * Sends each request at its time, whether or not earlier ones are answered. Latency counts from the planned time, so that a
 * stall of the service shows in every request that was due during it.
 */
export async function sendPlan(plan: readonly PlannedRequest[], ports: Ports): Promise<Record<Service, Sent>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const sent: Record<Service, Sent> = { API: empty(), SITE: empty(), INGEST: empty() };
  const started = performance.now();
  const pending: Promise<void>[] = [];
  for (const one of plan) {
    const due = started + one.at;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    pending.push(send(one, ports[one.service], agent, due, sent[one.service]));
  }
  await Promise.all(pending);
  agent.destroy();
  return sent;
}

const empty = (): Sent => ({ times: [], errors: [] });

async function send(one: PlannedRequest, port: number, agent: Agent, due: number, sent: Sent): Promise<void> {
  try {
    const { status, body } = await exchange(one, port, agent);
    const error = errorOf(one, status, body);
    if (error === undefined) sent.times.push(performance.now() - due);
    else sent.errors.push(error);
  } catch (error) {
    sent.errors.push(`${one.service} ${one.path}: ${(error as Error).message}`);
  }
}

interface Received {
  status: number;
  /** Only of ingest responses; empty for the others. */
  body: string;
}

/** Sends a request and waits for the end of its response. */
function exchange(
  { method, path, headers, body, service }: PlannedRequest,
  port: number,
  agent: Agent,
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const outgoing = request({ agent, port, host: '127.0.0.1', method, path, headers, timeout: TIMEOUT_MS });
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
  outgoing.on('error', reject);
  outgoing.on('response', (incoming: IncomingMessage) => {
    let text = '';
    incoming.on('data', (bytes: Buffer) => {
      if (service === 'INGEST') text += bytes.toString('latin1');
    });
    incoming.on('error', reject);
    incoming.on('end', () => resolve({ status: incoming.statusCode!, body: text }));
  });
  outgoing.end(body);
  return promise;
}

function errorOf({ service, path }: PlannedRequest, status: number, body: string): string | undefined {
  const wrong =
    service === 'INGEST' ? status !== 200 || !body.includes('"accepted"') : status !== 200 && status !== 304;
  return wrong ? `${service} ${path}: ${status} ${body}` : undefined;
}

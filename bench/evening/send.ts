import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedRequest, Service } from './plan.ts';

export type Ports = Record<Service, number>;

/** How long each answer took in milliseconds since its request was due, and what was wrong with the others. */
export interface Sent {
  times: number[];
  errors: string[];
}

const PATIENCE_MS = 10_000;
const CONNECTIONS = 512;

/**
 * Sends each request when it is due, whether earlier ones are answered or not. Latency counts from the time that was
 * planned, so a service that stalls shows in every request that was due meanwhile.
 */
export async function sendPlan(plan: readonly PlannedRequest[], ports: Ports): Promise<Record<Service, Sent>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const sent: Record<Service, Sent> = { API: empty(), SITE: empty(), INGEST: empty() };
  const started = performance.now();
  const answers: Promise<void>[] = [];
  for (const one of plan) {
    const due = started + one.at;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    answers.push(send(one, ports[one.service], agent, due, sent[one.service]));
  }
  await Promise.all(answers);
  agent.destroy();
  return sent;
}

const empty = (): Sent => ({ times: [], errors: [] });

async function send(one: PlannedRequest, port: number, agent: Agent, due: number, sent: Sent): Promise<void> {
  try {
    const { status, body } = await answerOf(one, port, agent);
    const error = errorOf(one, status, body);
    if (error === undefined) sent.times.push(performance.now() - due);
    else sent.errors.push(error);
  } catch (error) {
    sent.errors.push(`${one.service} ${one.path}: ${(error as Error).message}`);
  }
}

interface Answer {
  status: number;
  /** Of events only. */
  body: string;
}

function answerOf(
  { method, path, headers, body, service }: PlannedRequest,
  port: number,
  agent: Agent,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request({ agent, port, host: '127.0.0.1', method, path, headers, timeout: PATIENCE_MS });
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)));
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

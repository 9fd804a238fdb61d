import { html } from 'hono/html';
import { commandName } from '#context/command-name.ts';
import { idOf } from '#platform/ids.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import type { LoggedReceipt } from '#events/ledger/server-events.ts';
import type { ServerNow } from '#store/game/servers.ts';
import type { ConsoleRequest } from '../routes.ts';

/** The event that arrived last. */
type Arrival = Pick<LoggedReceipt, 'type' | 'received' | 'status'>;

/**
 * The newest event of a server and how long ago it arrived. Until there is one, the ways to connect the server, with the
 * commands that need only its key.
 *
 * @param receipts the newest receipts of the server, on the first page of the list
 */
export function connectionCard(request: ConsoleRequest, server: ServerNow, receipts: readonly LoggedReceipt[]): Html {
  const { now, texts } = request;
  const { connection: t } = texts;
  const newest = newestOf(server, receipts);
  const again = html`<a href="/console/operator/servers/${idOf(server.key)}">${t.reload}</a>`;
  const state =
    newest === undefined
      ? html`<p><span class="badge warn">${t.waiting}</span> ${again}</p>`
      : html`<p>
          <span class="badge ${isRejected(newest) ? 'bad' : 'good'}"
            >${t.newest(ago(request, now - newest.received))}</span
          >
          ${typeOf(request, newest)} ${isRejected(newest) ? t.rejected : ''} ${again}
        </p>`;
  const content = html`${state} ${newest === undefined ? waysList(request) : ''}`;
  return section('connection', t.title, content);
}

/** Heartbeats have no receipt in the list; settings of the server come from operators. */
function newestOf({ heartbeat }: ServerNow, receipts: readonly LoggedReceipt[]): Arrival | undefined {
  const event = receipts.find((receipt) => isRejected(receipt) || receipt.type !== 'server.configured');
  if (heartbeat === null || (event !== undefined && event.received > heartbeat)) return event;
  return { type: 'server.presence', received: heartbeat, status: 'accepted' };
}

const isRejected = ({ status }: Pick<LoggedReceipt, 'status'>): boolean => status === 'rejected';

/** The type of an event. That of a rejected one may be any text, or missing. */
export function typeOf({ texts }: ConsoleRequest, { type }: Pick<LoggedReceipt, 'type'>): Html {
  if (type !== undefined) return html`<bdi><code>${type}</code></bdi>`;
  return html`<span aria-hidden="true">–</span> <span class="hidden">${texts.connection.no_type}</span>`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

function ago({ texts }: ConsoleRequest, ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? (['second', 1] as const);
  return new Intl.RelativeTimeFormat(texts.lang).format(-Math.floor(seconds / size), unit);
}

/** The ways of docs/connect.md. */
function waysList({ deps, texts: { connection: t } }: ConsoleRequest): Html {
  const { INGEST_URL } = deps.config;
  const agent = `${commandName()} agent --server-dir DIR --url ${INGEST_URL} --key-file FILE`;
  const commands = {
    agent,
    pgm: 'packages/pgm-plugin/README.md',
    bukkit: 'packages/bukkit-plugin/README.md',
    outbox: 'docs/connect.md',
    http: heartbeatCommand(INGEST_URL),
  };
  return html`<p>${t.lead}</p>
    <ul class="rows">
      ${(Object.entries(commands) as [keyof typeof commands, string][]).map(([way, command]) =>
        rowItem(
          html`<strong>${t.ways[way][0]}</strong> <span class="hint">${t.ways[way][1]}</span> <code>${command}</code>`,
        ),
      )}
    </ul>`;
}

/** A command for a shell with the key in INGEST_KEY, which reports one player. */
function heartbeatCommand(ingestUrl: string): string {
  const time = '$(date -u +%Y-%m-%dT%H:%M:%SZ)';
  const data = '"data":{"current":1,"players":["Saltmarten"]}';
  const event = `{"version":1,"id":"presence-$(date +%s)","type":"server.presence","time":"${time}",${data}}`;
  const headers = `-H "Authorization: Bearer $INGEST_KEY" -H 'Content-Type: application/json'`;
  return `curl -sS ${ingestUrl}/events ${headers} -d "${event.replaceAll('"', '\\"')}"`;
}

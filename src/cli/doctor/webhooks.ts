import { amount } from '#text/amount.ts';
import { webhookHealth } from '#store/applications/webhooks/webhooks.ts';
import { type Found, ok, type OpenInstallation, warning } from './finding.ts';

const CHECK = 'webhooks';
const MINUTE_MS = 60_000;
/** As the alert ScorehallWebhooksLate. */
const LATE_MS = 15 * MINUTE_MS;

export async function checkWebhooks({ db, now }: OpenInstallation): Promise<Found> {
  const { on, failing, off, oldest } = await webhookHealth(db, now);
  if (on + failing + off === 0) return [];
  const lag = oldest === null ? 0 : now - oldest;
  const found = [
    ...(failing === 0 ? [] : [`${amount(failing, 'waits', 'wait')} after failures`]),
    ...(off === 0 ? [] : [`${amount(off, 'is', 'are')} off after failures or without a readable secret`]),
    ...(lag < LATE_MS
      ? []
      : [`the oldest change of those that are on has waited for ${amount(Math.floor(lag / MINUTE_MS), 'minute')}`]),
  ];
  if (found.length === 0) return ok(CHECK, `All webhooks deliver (${on}).`);
  const remedy = 'scorehall webhook list names them, and scorehall webhook log --id ID says why. docs/webhooks.md';
  return warning(CHECK, `${amount(on, 'webhook is', 'webhooks are')} on; ${found.join('; ')}.`, remedy);
}

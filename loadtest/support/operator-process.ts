import { captured } from '#test/support/captured.ts';
import { openAppContext } from '#context/context.ts';
import { readConfig } from '#platform/config/config.ts';
import { systemClock } from '#platform/clock.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { run } from '#cli/dispatch.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import type { DataOf } from '#events/schema/index.ts';

/**
 * The third process of the model: runs operator commands, one after another, and does what the account page would: creates
 * link codes, and stores what people keep private.
 */

export type OperatorOrder = { command: string[] } | { linkCodeOf: string } | { privacy: DataOf<'player.privacy'> };

export interface OperatorReply {
  status: number;
  out: string;
  err: string;
}

const environment = { ...process.env, LOG_LEVEL: 'error' };

async function execute(order: OperatorOrder): Promise<OperatorReply> {
  if ('command' in order) {
    const { result, out, err } = await captured({ environment }, () => run(order.command));
    return { status: result, out, err };
  }
  await using context = await openAppContext(readConfig(environment), systemClock);
  if ('linkCodeOf' in order)
    return { status: 0, out: await newLinkCode(context.db, Date.now(), order.linkCodeOf), err: '' };
  await reportAsOperator(context.db, systemClock, { type: 'player.privacy', data: order.privacy });
  return { status: 0, out: '', err: '' };
}

process.on('message', (order: OperatorOrder) => {
  void execute(order).then(
    (reply) => process.send!(reply),
    (error: unknown) => process.send!({ status: 1, out: '', err: String(error) } satisfies OperatorReply),
  );
});

import { processUsage } from '../child.ts';
import type { PlannedRequest, Service } from './plan.ts';
import { type Ports, type Sent, sendPlan } from './send.ts';

/** The message to the load process; it answers with a `LoadReport`. */
export interface LoadOrder {
  plan: PlannedRequest[];
  ports: Ports;
}

export interface LoadReport {
  sent: Record<Service, Sent>;
  /** CPU time of the load process, in seconds. */
  cpu: number;
}

async function carryOut({ plan, ports }: LoadOrder): Promise<void> {
  const before = processUsage().cpu;
  const sent = await sendPlan(plan, ports);
  process.send!({ sent, cpu: processUsage().cpu - before } satisfies LoadReport);
}

process.on('message', (order: LoadOrder) => void carryOut(order));
process.on('disconnect', () => process.exit());

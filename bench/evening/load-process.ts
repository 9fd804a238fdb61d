import { use } from '../child.ts';
import type { PlannedRequest, Service } from './plan.ts';
import { type Ports, type Sent, sendPlan } from './send.ts';

/** What the process of the load is to send; it answers each order with a report. */
export interface LoadOrder {
  plan: PlannedRequest[];
  ports: Ports;
}

export interface LoadReport {
  sent: Record<Service, Sent>;
  /** Seconds of CPU time that the load itself has used. */
  cpu: number;
}

async function carryOut({ plan, ports }: LoadOrder): Promise<void> {
  const before = use().cpu;
  const sent = await sendPlan(plan, ports);
  process.send!({ sent, cpu: use().cpu - before } satisfies LoadReport);
}

process.on('message', (order: LoadOrder) => void carryOut(order));
process.on('disconnect', () => process.exit());

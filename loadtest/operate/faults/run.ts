import type { LoadTestOptions } from '../../options.ts';
import type { Report } from '../../report.ts';
import { dialectsOf } from '../../support/databases.ts';
import { findProgram } from '../../support/programs.ts';
import { testFault } from './measure.ts';
import { pooler } from './pooler.ts';
import { failover, fullDisk, ON_ONE_SERVER, Server } from './postgres-faults.ts';
import { sqliteFull } from './sqlite-full.ts';

/** Takes the database away from a service under load in each way that operators meet. */
export async function testFaults(report: Report, { database }: LoadTestOptions): Promise<void> {
  const dialects = dialectsOf(database);
  if (dialects.includes('postgres')) {
    for (const [name, faultOf] of Object.entries(ON_ONE_SERVER)) {
      await using server = await Server.start();
      await using fault = { name: `PostgreSQL ${name}`, ...(await faultOf(server)) };
      await testFault(fault, report);
    }
    await testPooler(report);
    await testFullDisk(report);
    await using fault = await failover();
    await testFault(fault, report);
  }
  if (dialects.includes('sqlite')) {
    await using fault = await sqliteFull();
    await testFault(fault, report);
  }
}

async function testPooler(report: Report): Promise<void> {
  const program = findProgram('pgbouncer');
  // A test that could not run counts as missed.
  if (program === undefined) return report.add('PgBouncer', 'not run: apt-get install pgbouncer (Debian)', false);
  await using server = await Server.start();
  await using fault = await pooler(program, server);
  await testFault(fault, report);
}

async function testFullDisk(report: Report): Promise<void> {
  await using fault = await fullDisk();
  if (fault === undefined)
    return report.add(
      'PostgreSQL full',
      'not run: this system must allow user namespaces, see user_namespaces(7)',
      false,
    );
  await testFault(fault, report);
}

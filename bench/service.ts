import { openServices } from '#server/listeners.ts';
import { type ServiceName, readConfig } from '#platform/config.ts';
import { openAppContext } from '#context/context.ts';
import { use } from './child.ts';

/** One door as it is served, in a process of its own: the one that BENCH_DOOR names, with limits out of the way. */
const door = process.env['BENCH_DOOR'] as ServiceName;
const LIMIT = '999999999';
const settings = { [`${door}_LISTEN`]: '127.0.0.1:0', APP_LIMIT: LIMIT, ADDRESS_LIMIT: LIMIT, LOG_LEVEL: 'error' };
const hall = await openAppContext(readConfig({ ...process.env, ...settings }));
const house = await openServices(hall, [door]);
process.on('message', () => process.send!(use()));
process.on('disconnect', () => process.exit());
process.send!({ port: Number(new URL(house.addresses[door]!).port) });

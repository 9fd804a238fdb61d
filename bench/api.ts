import { openHouse } from '#app.ts';
import { readConfig } from '#base/config.ts';
import { openHall } from '#hall.ts';
import { createApplication } from '#records/applications.ts';
import { issueClientToken } from '#records/tokens.ts';
import { cpuUse } from './child.ts';

/** The data API as it is served, in a process of its own, with an application whose limit is out of the way. */
const LIMIT = '999999999';
const config = readConfig({
  ...process.env,
  API_LISTEN: '127.0.0.1:0',
  APP_LIMIT: LIMIT,
  ADDRESS_LIMIT: LIMIT,
  LOG_LEVEL: 'error',
});
const hall = await openHall(config);
const house = await openHouse(hall, ['API']);
const app = { name: 'bench', type: 'service', redirect_uris: [] as string[], access: 'approved' } as const;
const { application } = await createApplication(hall.db, hall.clock.now(), app);
const token = await issueClientToken(hall.db, hall.clock.now(), application.client_id, 86_400_000);
process.on('message', () => process.send!(cpuUse()));
process.send!({ port: Number(new URL(house.addresses.API!).port), token });
process.on('disconnect', () => process.exit());

import { openHouse } from '#app.ts';
import { readConfig } from '#base/config.ts';
import { openHall } from '#hall.ts';
import { createApplication } from '#records/applications.ts';
import { issueClientToken } from '#records/tokens.ts';
import { use } from './child.ts';

/** The data API as it is served, in a process of its own, with an application whose limit is out of the way. */
const LIMIT = '999999999';
const listens = { API_LISTEN: '127.0.0.1:0', APP_LIMIT: LIMIT, ADDRESS_LIMIT: LIMIT, LOG_LEVEL: 'error' };
const hall = await openHall(readConfig({ ...process.env, ...listens }));
const house = await openHouse(hall, ['API']);
const { application } = await createApplication(hall.db, hall.clock.now(), {
  name: 'bench',
  type: 'service',
  redirect_uris: [],
  access: 'approved',
});
const token = await issueClientToken(hall.db, hall.clock.now(), application.client_id, 86_400_000);
process.on('message', () => process.send!(use()));
process.on('disconnect', () => process.exit());
process.send!({ port: Number(new URL(house.addresses.API!).port), token });

import type { Route } from '../routes.ts';
import { accountRoutes } from './accounts.ts';
import { applicationRoutes } from './applications.ts';
import { auditRoutes } from './audit.ts';
import { jobRoutes } from './jobs.ts';
import { playerRoutes } from './players.ts';
import { punishmentRoutes } from './punishments.ts';
import { requestRoutes } from './requests.ts';
import { serverRoutes } from './server.ts';
import { serverListRoutes } from './servers.ts';

/** The pages and forms of operators. */
export const operatorRoutes: readonly Route[] = [
  ...requestRoutes,
  ...applicationRoutes,
  ...accountRoutes,
  ...serverListRoutes,
  ...serverRoutes,
  ...playerRoutes,
  ...punishmentRoutes,
  ...jobRoutes,
  ...auditRoutes,
];

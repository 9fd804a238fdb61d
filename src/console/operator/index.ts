import type { Route } from '../routes.ts';
import { accountRoutes } from './accounts.ts';
import { applicationRoutes } from './applications.ts';
import { auditRoutes } from './audit.ts';
import { jobRoutes } from './jobs.ts';
import { nameRoutes } from './names.ts';
import { playerRoutes } from './players.ts';
import { punishmentChangeRoutes } from './punishment-changes.ts';
import { newPunishmentRoutes } from './punishment-new.ts';
import { punishmentPageRoutes } from './punishment.ts';
import { punishmentRoutes } from './punishments.ts';
import { requestRoutes } from './requests.ts';
import { serverRoutes } from './server.ts';
import { serverListRoutes } from './servers.ts';
import { warningRoutes } from './warnings.ts';

/** The pages and forms of operators. */
export const operatorRoutes: readonly Route[] = [
  ...requestRoutes,
  ...applicationRoutes,
  ...accountRoutes,
  ...serverListRoutes,
  ...serverRoutes,
  ...warningRoutes,
  ...playerRoutes,
  ...newPunishmentRoutes,
  ...punishmentChangeRoutes,
  ...punishmentPageRoutes,
  ...punishmentRoutes,
  ...jobRoutes,
  ...nameRoutes,
  ...auditRoutes,
];

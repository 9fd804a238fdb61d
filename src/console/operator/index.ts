import type { Route } from '../routes.ts';
import { accountHelpRoutes } from './account-help.ts';
import { accountRoutes } from './accounts.ts';
import { applicationRoutes } from './applications.ts';
import { auditRoutes } from './audit.ts';
import { counterRoutes } from './counters.ts';
import { changeRoutes } from './changes.ts';
import { factorResetRoutes } from './factor-reset.ts';
import { jobRoutes } from './jobs.ts';
import { nameRoutes } from './names.ts';
import { playerListRoutes } from './players.ts';
import { playerRoutes } from './player.ts';
import { punishmentChangeRoutes } from './punishments/changes.ts';
import { punishmentRoutes } from './punishments/list.ts';
import { punishmentPageRoutes } from './punishments/page.ts';
import { requestRoutes } from './requests.ts';
import { searchRoutes } from './search.ts';
import { serverKeyRoutes } from './server-key.ts';
import { serverRoutes } from './server.ts';
import { serverListRoutes } from './servers.ts';
import { warningRoutes } from './warnings.ts';
import { webhookRoutes } from './webhooks.ts';

/** The pages and forms of operators. */
export const operatorRoutes: readonly Route[] = [
  ...requestRoutes,
  ...searchRoutes,
  ...changeRoutes,
  ...applicationRoutes,
  ...webhookRoutes,
  ...accountRoutes,
  ...accountHelpRoutes,
  ...factorResetRoutes,
  ...serverListRoutes,
  ...serverRoutes,
  ...serverKeyRoutes,
  ...counterRoutes,
  ...warningRoutes,
  ...playerListRoutes,
  ...playerRoutes,
  ...punishmentRoutes,
  ...punishmentChangeRoutes,
  ...punishmentPageRoutes,
  ...jobRoutes,
  ...nameRoutes,
  ...auditRoutes,
];

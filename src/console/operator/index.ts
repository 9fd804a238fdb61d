import type { Row } from '../routes.ts';
import { accountRows } from './accounts.ts';
import { applicationRows } from './applications.ts';
import { auditRows } from './audit.ts';
import { playerRows } from './players.ts';
import { punishmentRows } from './punishments.ts';
import { requestRows } from './requests.ts';
import { serverRows } from './server.ts';
import { serverListRows } from './servers.ts';

/** What only operators may see and do. */
export const operatorRows: readonly Row[] = [
  ...requestRows,
  ...applicationRows,
  ...accountRows,
  ...serverListRows,
  ...serverRows,
  ...playerRows,
  ...punishmentRows,
  ...auditRows,
];

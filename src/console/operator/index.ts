import type { Row } from '../rows.ts';
import { requestRows } from './requests.ts';

/** What only operators may see and do. */
export const operatorRows: readonly Row[] = [...requestRows];

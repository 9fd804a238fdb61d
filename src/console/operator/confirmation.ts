import { type Confirmation, confirmationCard } from '../confirmation.ts';
import type { PageContent } from '../layout.ts';
import type { ConsoleRequest } from '../routes.ts';
import { inOperator, type Section } from './layout.ts';

export interface Act extends Confirmation {
  section: Section;
}

/** The page before an act of operators. */
export async function confirmationPage(request: ConsoleRequest, { section, title, ...act }: Act): Promise<PageContent> {
  return await inOperator(request, section, title, confirmationCard(request, act));
}

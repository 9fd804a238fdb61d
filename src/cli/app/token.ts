import type { AppContext } from '#context/context.ts';
import { issueClientToken } from '#store/applications/tokens.ts';
import { carryOut, type Command, inContext, type Input, option, optionsOf, wholeNumber } from '../command/command.ts';
import { byClientId } from '#admin/targets.ts';

const HOUR_MS = 3_600_000;
const MAX_HOURS = 24 * 365;

export const commands: Command[] = [
  {
    words: 'token create',
    audit: { action: 'token.create', about: 'client-id' },
    summary: 'Issue an access token to an application, as the client credentials grant does',
    options: {
      ...optionsOf(byClientId),
      hours: option('N', 'The lifetime in hours (default: 1)', wholeNumber(1, MAX_HOURS)),
    },
    run: inContext(create),
  },
];

async function create(context: AppContext, input: Input) {
  const lifetime = (input.number('hours') ?? 1) * HOUR_MS;
  const { client_id } = await input.find(byClientId, context.db);
  return await carryOut(input, context, async (tx) => ({
    access_token: await issueClientToken(tx, context.clock.now(), client_id, lifetime),
    ...{ token_type: 'bearer', expires_in: lifetime / 1000 },
  }));
}

import { issueClientToken } from '#store/applications/tokens.ts';
import { carryOut, type Command, type Input, option, optionsOf, withAppContext } from '../command/command.ts';
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
      hours: option('N', 'The lifetime in hours (default: 1)'),
    },
    run: create,
  },
];

async function create(input: Input): Promise<void> {
  const hours = input.wholeNumber('hours', 1, MAX_HOURS) ?? 1;
  await withAppContext(input, async ({ db, clock }) => {
    const { client_id } = await input.find(byClientId, db);
    const lifetime = hours * HOUR_MS;
    const issued = await carryOut(input, { db, clock }, async (tx) => ({
      access_token: await issueClientToken(tx, clock.now(), client_id, lifetime),
      ...{ token_type: 'bearer', expires_in: lifetime / 1000 },
    }));
    input.print(issued);
  });
}

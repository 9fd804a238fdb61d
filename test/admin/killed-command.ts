import { disableAccount } from '#admin/accounts.ts';
import { run } from '#cli/dispatch.ts';

/** Disables an account, and is killed when that is done but not committed. */
const { run: disable } = disableAccount;
disableAccount.run = async (...args) => {
  await disable(...args);
  process.kill(process.pid, 'SIGKILL');
  return await new Promise(() => undefined);
};
await run(['account', 'disable', '--account', 'Ann']);

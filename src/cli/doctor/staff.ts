import { staffNeedsFactor } from '#platform/config/second-factor.ts';
import { factorCodeCommand, operatorCommand } from '#context/command-name.ts';
import { hasOperator } from '#store/accounts/accounts.ts';
import { staffWithoutFactor } from '#store/accounts/factors.ts';
import { type Finding, type Installation, ok, warning } from './finding.ts';

const CHECK = 'second factor';

/** Says whether anybody can use the console as operator. */
export async function checkOperator({ db }: Installation): Promise<Finding[]> {
  if (db === undefined || (await hasOperator(db))) return [];
  return [
    warning(
      'operator',
      'There is no operator yet: nobody can use the console as one.',
      `Make the account: ${operatorCommand()}`,
    ),
  ];
}

/** Names the members of staff to whom the console is closed, because they have no second factor. */
export async function checkStaff({ config, db }: Installation): Promise<Finding[]> {
  if (db === undefined) return [];
  if (!staffNeedsFactor(config)) {
    if (config.OPERATOR_SECOND_FACTOR === '') return [];
    return [
      warning(
        CHECK,
        'Operators and moderators need a password only.',
        'Remove OPERATOR_SECOND_FACTOR=optional, so that a stolen password does not open the console.',
      ),
    ];
  }
  const staff = await staffWithoutFactor(db);
  if (staff.length === 0) return [ok(CHECK, 'Every operator and moderator has one.')];
  return staff.map(({ name, role }) =>
    warning(
      CHECK,
      `${name} (${role}) has none: the console is closed to this account.`,
      `Make a code, which ${name} enters on the account page: ${factorCodeCommand(name)}`,
    ),
  );
}

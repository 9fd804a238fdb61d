/** Containers and systemd have a command `scorehall`, a checkout has the script of npm, an unpacked archive names its own. */
export const commandName = (): string =>
  process.env['SCOREHALL_COMMAND'] ??
  (process.env['npm_lifecycle_event'] === undefined ? 'scorehall' : 'npm run -s scorehall --');

/** The command that makes the code with which a member of staff adds a second factor. */
export const factorCodeCommand = (name: string): string => `${commandName()} account factor-code --account ${name}`;

/** The command that makes the first operator. */
export const operatorCommand = (): string =>
  `${commandName()} account create --name NAME --email ADDRESS --password-stdin --verified --role operator`;

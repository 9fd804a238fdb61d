/** Containers and systemd have a command `scorehall`, a checkout has the script of npm. */
export const commandName = (): string =>
  process.env['npm_lifecycle_event'] === undefined ? 'scorehall' : 'npm run -s scorehall --';

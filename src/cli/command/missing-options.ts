type Options = Record<string, { required?: true; value?: string; help: string }>;

/** The mandatory options that are not given, with their help, behind the refusal of an option that the command does not have. */
export function missingOptions(options: Options = {}, args: readonly string[]): string {
  const isGiven = (name: string): boolean => args.some((arg) => arg.split('=', 1)[0] === `--${name}`);
  const missing = Object.entries(options).filter(([name, { required }]) => required === true && !isGiven(name));
  return missing.map(([name, { value, help }]) => ` It needs --${name} ${value}: ${help}.`).join('');
}

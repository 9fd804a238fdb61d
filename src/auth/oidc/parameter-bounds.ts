/** Maximum characters of all parameters of an authorization or sign-out request; longer URLs are refused by proxies. */
export const MAX_PARAMETERS = 8_000;
/** Maximum characters of a parameter that is stored for the application and has no meaning here. */
const MAX_VALUE = 2_000;
const BOUNDED = ['state', 'nonce'];

/**
 * Each of these requests stores parameters, without a signed-in account.
 * @param query in its encoded form
 * @returns the sentence for parameters that are too long
 */
export function parametersProblem(query: string): string | undefined {
  if (query.length > MAX_PARAMETERS) return `The parameters must not be longer than ${MAX_PARAMETERS} characters.`;
  const values = new URLSearchParams(query);
  const long = BOUNDED.find((name) => (values.get(name) ?? '').length > MAX_VALUE);
  return long && `${long} must not be longer than ${MAX_VALUE} characters.`;
}

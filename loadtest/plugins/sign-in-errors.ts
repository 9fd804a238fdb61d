import type { Report } from '../report.ts';
import type { JavaDriver } from './java.ts';

const ENDPOINTS = ['token', 'userinfo', 'revoke', 'introspect', 'par'];

interface ErrorResponse {
  status: number;
  type: string;
  body: string;
}

/** HttpURLConnection asks for HTML before anything else, and still gets the errors of the sign-in as JSON. */
export async function checkSignInErrors(url: string, driver: JavaDriver, report: Report): Promise<void> {
  const answers = JSON.parse(await driver.run('sign-in', '.', url)) as Record<string, ErrorResponse>;
  for (const endpoint of ENDPOINTS) {
    const { status, type, body } = answers[endpoint]!;
    report.add(`HttpURLConnection: error of ${endpoint}`, `${status} ${type} ${body}`, isError(status, type, body));
  }
}

function isError(status: number, type: string, body: string): boolean {
  if (status < 400 || status >= 500 || !type.startsWith('application/json')) return false;
  const { error, error_description } = JSON.parse(body) as Record<string, unknown>;
  return typeof error === 'string' && typeof error_description === 'string';
}

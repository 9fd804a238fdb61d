import { format } from 'node:util';
import type * as OidcProvider from 'oidc-provider';

/**
 * Imports oidc-provider without its warning "Unsupported runtime". It warns because Node 26 is not a long-term support
 * release yet; every test runs on this version.
 */
async function load(): Promise<typeof OidcProvider> {
  const { warn } = console;
  console.warn = (...args: unknown[]) => {
    if (!format(...args).includes('Unsupported runtime')) warn(...args);
  };
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
}

export const { Provider, errors, interactionPolicy } = await load();

/** The context of the request that oidc-provider is handling; undefined outside of one. */
export function currentRequest(): OidcProvider.KoaContextWithOIDC | undefined {
  return (Provider as unknown as { ctx?: OidcProvider.KoaContextWithOIDC }).ctx;
}

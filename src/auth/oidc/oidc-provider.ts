import { format } from 'node:util';
import type * as OidcProvider from 'oidc-provider';

/**
 * oidc-provider, loaded without its note that a Node of the current line, not yet a long-term one, is not supported: it
 * is the one that every test of ours runs on.
 */
async function load(): Promise<typeof OidcProvider> {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!format(...words).includes('Unsupported runtime')) warn(...words);
  };
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
}

export const { Provider, errors, interactionPolicy } = await load();

/** The request that the protocol is at; undefined where it is at none. */
export function requestUnderWay(): OidcProvider.KoaContextWithOIDC | undefined {
  return (Provider as unknown as { ctx?: OidcProvider.KoaContextWithOIDC }).ctx;
}

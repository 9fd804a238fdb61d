/** Types for client libraries that have none, as far as the tests use them. */
declare module 'simple-oauth2' {
  interface Token {
    token: Record<string, unknown>;
    refresh(): Promise<Token>;
    revokeAll(): Promise<void>;
  }
  interface Configuration {
    client: { id: string; secret: string };
    auth: Record<string, string>;
    options?: Record<string, string>;
  }
  export class AuthorizationCode {
    constructor(configuration: Configuration);
    authorizeURL(parameters: Record<string, unknown>): string;
    getToken(parameters: Record<string, unknown>): Promise<Token>;
  }
  export class ClientCredentials {
    constructor(configuration: Configuration);
    getToken(parameters: Record<string, unknown>): Promise<Token>;
  }
}

declare module 'passport-openidconnect' {
  type Verify = (
    issuer: string,
    profile: Record<string, unknown>,
    done: (error: unknown, user?: unknown) => void,
  ) => void;
  export class Strategy {
    constructor(options: Record<string, unknown>, verify: Verify);
    authenticate(request: object, options?: object): void;
    redirect(url: string): void;
    success(user: unknown): void;
    fail(info: unknown): void;
    error(error: unknown): void;
  }
}

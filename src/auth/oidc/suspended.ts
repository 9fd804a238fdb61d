import { errors } from './oidc-provider.ts';

/** The refusal of a suspended application: `unauthorized_client`, with the reason as the description. */
export class SuspendedApplication extends errors.UnauthorizedClient {}

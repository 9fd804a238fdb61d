import { z } from 'zod';
import { isShownText } from '#text/text.ts';
import { changeApplication } from '#store/applications/application-changes.ts';
import {
  addFurtherSecret,
  type Application,
  deleteApplication,
  MAX_NAME_LENGTH,
  MAX_SECRETS,
  readDeletionImpact,
  removeSecret,
  secretsOf,
} from '#store/applications/applications.ts';
import { resumeApplication } from '#store/applications/suspension.ts';
import { withoutFields } from './fields.ts';
import { ofOperators, operation, refuse } from './operation.ts';
import { applicationTarget } from './targets.ts';

const onApplication = { ...ofOperators, ...withoutFields, ...applicationTarget };

const settings = z
  .strictObject({
    name: z.string(),
    redirect_uris: z.array(z.string()),
    post_logout_redirect_uris: z.array(z.string()),
    require_pkce: z.boolean(),
    rotate_refresh_tokens: z.boolean(),
  })
  .partial();
type Settings = z.output<typeof settings>;

const shown = (value: string | string[] | boolean) => (Array.isArray(value) ? value.join(' ') : value);

/** The settings that differ from those of the application, as the audit log shows them. */
export function changedSettings(application: Application, wanted: Settings): Record<string, string | boolean> {
  const changed = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && shown(value) !== shown(application[name as keyof Settings]),
  );
  return Object.fromEntries(changed.map(([name, value]) => [name, shown(value!)]));
}

/** Changes what is given, at once: a change of an owner may have to wait (see `application-changes.ts`). */
export const changeSettings = operation({
  ...onApplication,
  name: 'application.change',
  summary: 'Change how people sign in to an application',
  fields: settings,
  options: {
    name: 'The name that users see on the consent page',
    redirect_uris: {
      name: 'redirect-uri',
      multiple: true,
      value: 'URI',
      help: 'A redirect URI for sign-in; may be repeated',
    },
    post_logout_redirect_uris: {
      name: 'post-logout-redirect-uri',
      multiple: true,
      value: 'URI',
      help: 'A redirect URI after sign-out, besides the redirect URIs and "/" of their origins; may be repeated',
    },
    require_pkce: {
      value: 'yes|no',
      help: 'Refuse sign-ins without PKCE (default: no; recommended once the application sends a code challenge)',
    },
    rotate_refresh_tokens: {
      value: 'yes|no',
      help: 'Type service: replace the refresh token at each use (default: no)',
    },
  },
  reauthenticate: 'always',
  run: async ({ tx, clock }, application: Application, fields) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const wanted = { ...application, ...Object.fromEntries(given) };
    await changeApplication(tx, clock.now(), application.client_id, wanted, undefined);
  },
  detail: (fields, _, application) => changedSettings(application, fields),
});

export const startApplication = operation({
  ...onApplication,
  name: 'application.start',
  summary: 'Resume an application that was suspended because its owners were disabled or deleted',
  reauthenticate: 'always',
  run: async ({ tx }, { client_id }: Application) =>
    (await resumeApplication(tx, client_id)) ? undefined : refuse('not_suspended'),
  refused: { not_suspended: ({ name }) => `${name} is not suspended.` },
});

export const removeApplication = operation({
  ...onApplication,
  name: 'application.delete',
  summary: 'Delete an application and all its tokens',
  who: 'owner',
  loss: 'permanent',
  reauthenticate: 'always',
  impact: ({ db }, application: Application) => readDeletionImpact(db, application),
  run: async ({ tx }, { client_id }) => void (await deleteApplication(tx, client_id)),
});

const secretName = z
  .string()
  .trim()
  .refine((name) => name === '' || (name.length <= MAX_NAME_LENGTH && isShownText(name)), {
    error: `must have at most ${MAX_NAME_LENGTH} characters, all of them visible`,
  });

export const createSecret = operation({
  ...onApplication,
  name: 'application.secret.create',
  summary: 'Add a Client Secret to a service and print it once; the existing secrets stay valid',
  fields: z.strictObject({ name: secretName.optional() }),
  options: { name: { value: 'NAME', help: 'A name that tells it apart: where it is used' } },
  who: 'owner',
  reauthenticate: 'always',
  run: async ({ tx, clock }, { key, type }: Application, { name = '' }) => {
    if (type !== 'service') return refuse('not_service');
    const secret = await addFurtherSecret(tx, clock.now(), key, name);
    return secret === undefined ? refuse('enough_secrets') : { secret };
  },
  refused: {
    not_service: ({ name, type }) => `${name} has the type ${type}; only a service has secrets.`,
    enough_secrets: ({ name }) =>
      `${name} already has ${MAX_SECRETS} secrets, the maximum; withdraw one of them first.`,
  },
  detail: () => ({}),
});

export const withdrawSecret = operation({
  ...onApplication,
  name: 'application.secret.withdraw',
  summary: 'Withdraw a Client Secret, effective immediately',
  fields: z.strictObject({ id: z.string() }),
  options: { id: { value: 'ID', help: 'The id of the secret, as "app secret list" shows it' } },
  who: 'owner',
  loss: 'permanent',
  reauthenticate: 'always',
  impact: async ({ db }, { key }: Application, { id }) => {
    const secrets = await secretsOf(db, key);
    const secret = secrets.find((one) => one.id === id);
    return secret === undefined ? refuse('unknown_secret') : { secret, valid: secrets.length };
  },
  run: async ({ tx }, { key }, { id }) => ((await removeSecret(tx, key, id)) ? undefined : refuse('unknown_secret')),
  refused: {
    unknown_secret: ({ client_id, name }, { id }) =>
      `${name} has no secret ${id}; see: scorehall app secret list --client-id ${client_id}`,
  },
  detail: (fields) => fields,
});

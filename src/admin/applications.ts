import { z } from 'zod';
import { isShownText } from '#text/text.ts';
import { changeApplication } from '#store/applications/application-changes.ts';
import {
  addFurtherSecret,
  type Application,
  deleteApplication,
  MAX_NAME_LENGTH,
  removeSecret,
  secretsOf,
} from '#store/applications/applications.ts';
import { readDeletionImpact } from '#store/applications/deletion-impact.ts';
import { resumeApplication } from '#store/applications/suspension.ts';
import { withoutFields } from './fields.ts';
import { operation, refuse } from './operation.ts';

const subject = ({ client_id, name }: Application) => ({ subject: client_id, label: name });

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
  name: 'application.change',
  subject,
  fields: settings,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, application: Application, fields) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const wanted = { ...application, ...Object.fromEntries(given) };
    await changeApplication(tx, clock.now(), application.client_id, wanted, undefined);
  },
  detail: (fields, _, application) => changedSettings(application, fields),
});

/** Resumes an application that was suspended because its owners were disabled or deleted. */
export const startApplication = operation({
  name: 'application.start',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { client_id }: Application) =>
    (await resumeApplication(tx, client_id)) ? undefined : refuse('not_suspended'),
});

/** Deletes an application and all its tokens. */
export const removeApplication = operation({
  name: 'application.delete',
  subject,
  ...withoutFields,
  who: 'owner',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: [],
  impact: ({ db }, application: Application) => readDeletionImpact(db, application),
  run: async ({ tx }, { client_id }) => void (await deleteApplication(tx, client_id)),
});

const secretName = z
  .string()
  .trim()
  .refine((name) => name === '' || (name.length <= MAX_NAME_LENGTH && isShownText(name)), {
    error: `must have at most ${MAX_NAME_LENGTH} characters, all of them visible`,
  });

/** Adds a secret to a service; the others stay valid. A name tells them apart. */
export const createSecret = operation({
  name: 'application.secret.create',
  subject,
  fields: z.strictObject({ name: secretName.optional() }),
  who: 'owner',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, { key, type }: Application, { name = '' }) => {
    if (type !== 'service') return refuse('not_service');
    const secret = await addFurtherSecret(tx, clock.now(), key, name);
    return secret === undefined ? refuse('enough_secrets') : { secret };
  },
  detail: () => ({}),
});

export const withdrawSecret = operation({
  name: 'application.secret.withdraw',
  subject,
  fields: z.strictObject({ id: z.string() }),
  who: 'owner',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: [],
  impact: async ({ db }, { key }: Application, { id }) => {
    const secrets = await secretsOf(db, key);
    const secret = secrets.find((one) => one.id === id);
    return secret === undefined ? refuse('unknown_secret') : { secret, valid: secrets.length };
  },
  run: async ({ tx }, { key }, { id }) => ((await removeSecret(tx, key, id)) ? undefined : refuse('unknown_secret')),
  detail: (fields) => fields,
});

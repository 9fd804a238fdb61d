import { amount } from '#text/amount.ts';
import { UsageError } from '#platform/errors.ts';
import { approveAccess, limitAccess, revokeAccess } from '#admin/access.ts';
import {
  changeSettings,
  removeApplication,
  startApplication,
  createSecret,
  withdrawSecret,
} from '#admin/applications.ts';
import { containsAddress, isShownText } from '#text/text.ts';
import {
  ACCESS_STATES,
  type AccessState,
  type Application,
  APPLICATION_TYPES,
  type ApplicationType,
  createApplication,
  listApplications,
  MAX_NAME_LENGTH,
  secretsOf,
} from '#store/applications/applications.ts';
import { TEXTS } from '#console/texts/index.ts';
import { checkRedirectUri, needsRedirectUri } from '#store/applications/redirect-uris.ts';
import type { AppContext } from '#context/context.ts';
import { ownerCommands } from './owner.ts';
import {
  carryOut,
  type Command,
  commandAbout,
  type Input,
  JSON_OPTION,
  mandatory,
  oneOf,
  option,
  optionsOf,
  reading,
  timestampOf,
  withAppContext,
} from '../command/command.ts';
import { byClientId, requireApplication } from '#admin/targets.ts';
import { command, fieldOptions, performOrThrow } from '../command/operation-command.ts';

const { name: NAME, 'redirect-uri': REDIRECT_URI, ...SIGN_IN_OPTIONS } = fieldOptions(changeSettings);

export const commands: Command[] = [
  {
    words: 'app create',
    begins: true,
    audit: { action: 'application.create', about: 'client-id' },
    summary: 'Register an application; prints its Client ID and, for a service, its Client Secret',
    options: {
      name: { ...NAME!, required: true },
      type: mandatory('VALUE', 'The type: installed, web or service', oneOf(APPLICATION_TYPES)),
      'redirect-uri': REDIRECT_URI!,
      ...SIGN_IN_OPTIONS,
      access: option('VALUE', 'Access to the data API: none (the default), waiting or approved', oneOf(ACCESS_STATES)),
      json: JSON_OPTION,
    },
    run: create,
  },
  reading('app list', 'List all applications', async ({ db }) => (await listApplications(db)).map(wire)),
  commandAbout(byClientId, 'app show', 'Show one application', async (_, application) => wire(application)),
  {
    words: 'app set',
    operations: [changeSettings],
    summary: changeSettings.summary,
    options: { ...optionsOf(byClientId), ...SIGN_IN_OPTIONS },
    run: change,
  },
  command(limitAccess, 'app limit', { result: shown }),
  command(approveAccess, 'app approve', { result: shown }),
  command(revokeAccess, 'app revoke', {
    confirm: ({ client_id, name, access }) => ({
      act: `This takes the access to the data API away from ${name}: its requests are refused immediately.`,
      impact: { client_id, name, access, new_access: 'revoked' },
    }),
    result: shown,
  }),
  command(startApplication, 'app start', { result: shown }),
  command(removeApplication, 'app delete', {
    confirm: ({ client_id, name }, { people, tokens }) => ({
      act: `This deletes ${name}: ${amount(people, 'person', 'people')} can no longer sign in with it, and ${amount(tokens, 'token ends', 'tokens end')}.`,
      impact: { client_id, name, people, tokens },
    }),
    result: (_, application) => ({ ...wire(application), deleted: true }),
  }),
  commandAbout(byClientId, 'app secret list', "List the names and ids of an application's valid secrets", listSecrets),
  command(createSecret, 'app secret add', {
    result: (_, { client_id, name }, { secret }) => ({ client_id, name, client_secret: secret }),
  }),
  command(withdrawSecret, 'app secret withdraw', {
    confirm: ({ client_id, name }, { secret, valid }, { id }) => ({
      act: `This withdraws 1 of ${valid} secrets of ${name} (${secret.name || id}): programs that use it can no longer get tokens.`,
      impact: { client_id, name, id, secret_name: secret.name, secrets: valid },
    }),
    result: (_, { client_id, name }, __, { id }) => ({ client_id, name, id, withdrawn: true }),
  }),
  ...ownerCommands,
];

async function create(input: Input): Promise<void> {
  const wanted = {
    name: readName(input),
    type: input.required('type') as ApplicationType,
    redirect_uris: input.repeated('redirect-uri'),
    post_logout_redirect_uris: input.repeated('post-logout-redirect-uri'),
    require_pkce: input.optional('require-pkce') === 'yes',
    rotate_refresh_tokens: input.optional('rotate-refresh-tokens') === 'yes',
    access: (input.optional('access') as AccessState | undefined) ?? 'none',
  };
  if (wanted.redirect_uris.length === 0 && needsRedirectUri(wanted.type))
    throw new UsageError(
      `--redirect-uri is missing: the type ${wanted.type} needs one, because it only signs people in.`,
    );
  checkUris(wanted.type, 'redirect-uri', wanted.redirect_uris);
  checkUris(wanted.type, 'post-logout-redirect-uri', wanted.post_logout_redirect_uris);
  await withAppContext(input, async ({ db, clock }) => {
    const created = await carryOut(input, { db, clock }, async (tx) => {
      const { application, secret } = await createApplication(tx, clock.now(), wanted);
      return { ...wire(application), ...(secret === undefined ? {} : { client_secret: secret }) };
    });
    input.print(created);
  });
}

function checkUris(type: ApplicationType, option: string, uris: readonly string[]): void {
  for (const uri of uris) {
    const problem = checkRedirectUri(type, uri);
    if (problem !== undefined)
      throw new UsageError(`--${option} ${uri} ${TEXTS.en.application.problems.uri_rules[problem]}.`);
  }
}

function yesOrNo(input: Input, name: string): boolean | undefined {
  const value = input.optional(name);
  return value === undefined ? undefined : value === 'yes';
}

async function change(input: Input): Promise<void> {
  const require_pkce = yesOrNo(input, 'require-pkce');
  const rotate_refresh_tokens = yesOrNo(input, 'rotate-refresh-tokens');
  const returning = input.values['post-logout-redirect-uri'] as string[] | undefined;
  if (require_pkce === undefined && rotate_refresh_tokens === undefined && returning === undefined)
    throw new UsageError(
      '--post-logout-redirect-uri, --require-pkce or --rotate-refresh-tokens is missing: say what to change.',
    );
  await withAppContext(input, async (context) => {
    const application = await input.find(byClientId, context.db);
    // An empty value removes all of them.
    const post_logout_redirect_uris = returning?.filter((uri) => uri !== '');
    checkUris(application.type, 'post-logout-redirect-uri', post_logout_redirect_uris ?? []);
    const settings = { post_logout_redirect_uris, require_pkce, rotate_refresh_tokens };
    await performOrThrow(changeSettings, context, application, settings);
    input.print(await shown(context, application));
  });
}

async function shown({ db }: AppContext, { client_id }: Application): Promise<Record<string, unknown>> {
  return wire(await requireApplication(db, client_id));
}

function wire({ key: _, created, ...application }: Application): Record<string, unknown> {
  return { ...application, created: timestampOf(created) };
}

/** The same rule as in the console: the consent page and mails show this name. */
function readName(input: Input): string {
  const name = input.required('name');
  if (name.length > MAX_NAME_LENGTH || !isShownText(name))
    throw new UsageError(`--name must have 1 to ${MAX_NAME_LENGTH} characters, all of them visible.`);
  if (!containsAddress(name)) return name;
  throw new UsageError(
    `--name must not contain an address, like a host, a URL or an e-mail address (it is "${name}").`,
  );
}

async function listSecrets({ db }: AppContext, { key }: Application) {
  const secrets = await secretsOf(db, key);
  return secrets.map(({ created, ...secret }) => ({ ...secret, created: timestampOf(created) }));
}

import { UsageError } from '#platform/errors.ts';
import { containsAddress, isShownText } from '#platform/text.ts';
import {
  ACCESS_STATES,
  type AccessState,
  type Application,
  APPLICATION_TYPES,
  createApplication,
  deleteApplication,
  listApplications,
  MAX_NAME_LENGTH,
  setApplication,
  setLimit,
} from '#store/applications/applications.ts';
import { decideWithoutRequest } from '#store/applications/access-requests.ts';
import { resumeApplication } from '#store/applications/suspension.ts';
import { TEXTS } from '#console/texts/index.ts';
import { checkRedirectUri } from '#store/applications/redirect-uris.ts';
import { ownerCommands } from './owner.ts';
import { secretCommands } from './secret.ts';
import {
  CLIENT,
  type Command,
  type Input,
  JSON_OPTION,
  print,
  printTable,
  repeated,
  required,
  withAppContext,
} from '../command/command.ts';
import { requireApplication } from '../command/lookup.ts';
import { oneOf, timestampOf, yesOrNo } from '../command/values.ts';

const SIGN_IN_OPTIONS: NonNullable<Command['options']> = {
  'require-pkce': {
    type: 'string',
    value: 'yes|no',
    help: 'Refuse sign-ins without PKCE (default: no; recommended once the application sends a code challenge)',
  },
  'rotate-refresh-tokens': {
    type: 'string',
    value: 'yes|no',
    help: 'Type service: replace the refresh token at each use (default: no)',
  },
};

export const commands: Command[] = [
  {
    words: 'app create',
    begins: true,
    audit: { action: 'application.create', about: 'client-id' },
    summary: 'Register an application; prints its Client ID and, for a service, its Client Secret',
    options: {
      name: { type: 'string', required: true, help: 'The name that users see on the consent page' },
      type: { type: 'string', required: true, help: 'The type: installed, web or service' },
      'redirect-uri': {
        type: 'string',
        multiple: true,
        value: 'URI',
        help: 'A redirect URI for sign-in; may be repeated',
      },
      ...SIGN_IN_OPTIONS,
      access: { type: 'string', help: 'Access to the data API: none (the default), waiting or approved' },
      json: JSON_OPTION,
    },
    run: create,
  },
  { words: 'app list', summary: 'List all applications', options: { json: JSON_OPTION }, run: listAll },
  { words: 'app show', summary: 'Show one application', options: CLIENT, run: show },
  {
    words: 'app set',
    audit: { action: 'application.change', about: 'client-id' },
    summary: 'Change how people sign in to an application',
    options: { ...CLIENT, ...SIGN_IN_OPTIONS },
    run: change,
  },
  {
    words: 'app limit',
    audit: { action: 'access.limit', about: 'client-id' },
    summary: 'Set the hourly rate limit of an application, or reset it to the default',
    options: {
      ...CLIENT,
      limit: { type: 'string', value: 'N', required: true, help: 'Requests per hour, or "default"' },
    },
    run: limit,
  },
  {
    words: 'app approve',
    audit: { action: 'access.approve', about: 'client-id' },
    summary: 'Give an application access to the data API',
    options: CLIENT,
    run: (input) => access(input, 'approved'),
  },
  {
    words: 'app revoke',
    audit: { action: 'access.revoke', about: 'client-id' },
    summary: 'Take away the access of an application to the data API',
    options: CLIENT,
    run: (input) => access(input, 'revoked'),
  },
  {
    words: 'app start',
    audit: { action: 'application.start', about: 'client-id' },
    summary: 'Resume an application that was suspended because its owners were disabled or deleted',
    options: CLIENT,
    run: start,
  },
  {
    words: 'app delete',
    audit: { action: 'application.delete', about: 'client-id' },
    summary: 'Delete an application and all its tokens',
    options: CLIENT,
    run: remove,
  },
  ...secretCommands,
  ...ownerCommands,
];

async function create(input: Input): Promise<void> {
  const wanted = {
    name: readName(input),
    type: oneOf(input, 'type', APPLICATION_TYPES)!,
    redirect_uris: repeated(input, 'redirect-uri'),
    require_pkce: yesOrNo(input, 'require-pkce') ?? false,
    rotate_refresh_tokens: yesOrNo(input, 'rotate-refresh-tokens') ?? false,
    access: oneOf(input, 'access', ACCESS_STATES) ?? 'none',
  };
  for (const uri of wanted.redirect_uris) {
    const problem = checkRedirectUri(wanted.type, uri);
    if (problem !== undefined)
      throw new UsageError(`--redirect-uri ${uri} ${TEXTS.en.application.problems.uri_rules[problem]}.`);
  }
  await withAppContext(input, async ({ db, clock }) => {
    const { application, secret } = await createApplication(db, clock.now(), wanted);
    print(input, { ...wire(application), ...(secret === undefined ? {} : { client_secret: secret }) });
  });
}

async function listAll(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => printTable(input, (await listApplications(db)).map(wire)));
}

async function show(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) =>
    print(input, wire(await requireApplication(db, required(input, 'client-id')))),
  );
}

async function change(input: Input): Promise<void> {
  const clientId = required(input, 'client-id');
  const require_pkce = yesOrNo(input, 'require-pkce');
  const rotate_refresh_tokens = yesOrNo(input, 'rotate-refresh-tokens');
  if (require_pkce === undefined && rotate_refresh_tokens === undefined)
    throw new UsageError('--require-pkce or --rotate-refresh-tokens is missing: say what to change.');
  await withAppContext(input, async ({ db }) => {
    const application = await requireApplication(db, clientId);
    await setApplication(db, clientId, {
      ...application,
      require_pkce: require_pkce ?? application.require_pkce,
      rotate_refresh_tokens: rotate_refresh_tokens ?? application.rotate_refresh_tokens,
    });
    print(input, wire(await requireApplication(db, clientId)));
  });
}

async function access(input: Input, state: AccessState): Promise<void> {
  const clientId = required(input, 'client-id');
  await withAppContext(input, async ({ db, clock }) => {
    await requireApplication(db, clientId);
    await decideWithoutRequest(db, clock.now(), clientId, { state, by: 'command' });
    print(input, wire(await requireApplication(db, clientId)));
  });
}

async function start(input: Input): Promise<void> {
  const clientId = required(input, 'client-id');
  await withAppContext(input, async ({ db }) => {
    const { name } = await requireApplication(db, clientId);
    if (!(await resumeApplication(db, clientId))) throw new UsageError(`${name} is not suspended.`);
    print(input, wire(await requireApplication(db, clientId)));
  });
}

async function limit(input: Input): Promise<void> {
  const clientId = required(input, 'client-id');
  const value = required(input, 'limit');
  if (value !== 'default' && !/^[1-9]\d{0,8}$/.test(value)) {
    throw new UsageError(`--limit must be a whole number from 1 to 999999999, or "default" (it is "${value}").`);
  }
  await withAppContext(input, async ({ db }) => {
    await requireApplication(db, clientId);
    await setLimit(db, clientId, value === 'default' ? null : Number(value));
    print(input, wire(await requireApplication(db, clientId)));
  });
}

async function remove(input: Input): Promise<void> {
  const clientId = required(input, 'client-id');
  await withAppContext(input, async ({ db }) => {
    const application = await requireApplication(db, clientId);
    await deleteApplication(db, clientId);
    print(input, { ...wire(application), deleted: true });
  });
}

function wire({ key: _, created, ...application }: Application): Record<string, unknown> {
  return { ...application, created: timestampOf(created) };
}

/** The same rule as in the console: the consent page and mails show this name. */
function readName(input: Input): string {
  const name = required(input, 'name');
  if (name.length > MAX_NAME_LENGTH || !isShownText(name))
    throw new UsageError(`--name must have 1 to ${MAX_NAME_LENGTH} characters, all of them visible.`);
  if (!containsAddress(name)) return name;
  throw new UsageError(
    `--name must not contain an address, like a host, a URL or an e-mail address (it is "${name}").`,
  );
}

/** The paths of the pages about passkeys and second factors. */
export const PATHS = {
  security: '/account/security',
  confirm: '/account/security/confirm',
  keepFactors: '/account/factors/keep',
  addPasskey: '/account/security/passkeys/add',
  renamePasskey: '/account/security/passkeys/rename',
  removePasskey: '/account/security/passkeys/remove',
  setUpApp: '/account/security/app',
  removeApp: '/account/security/app/remove',
  newCodes: '/account/security/codes',
  downloadCodes: '/account/security/codes/download',
} as const;

export const passkeyPath = (act: 'rename' | 'remove', id: string): string =>
  `${act === 'rename' ? PATHS.renamePasskey : PATHS.removePasskey}?${new URLSearchParams({ id }).toString()}`;

/** @param next the page that follows the confirmation */
export const confirmPath = (next: string): string => `${PATHS.confirm}?${new URLSearchParams({ next }).toString()}`;

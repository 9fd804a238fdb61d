import type { ManageReason } from '#store/game/watches/managed-servers.ts';

/** The English texts about following a game server by the management protocol. */
export const management = {
  management: {
    title: 'Management protocol',
    lead: 'A Minecraft server from 1.21.9 on can report who joins and leaves, bans and pardons while they happen, without a plugin. Set management-server-enabled=true in its server.properties.',
    url: 'Management address',
    url_hint: 'wss://HOST:PORT; without TLS only on this machine, as ws://127.0.0.1:PORT.',
    url_wrong: (forms: string) => `Enter ${forms}.`,
    secret: 'Secret',
    secret_hint:
      'management-server-secret of server.properties. It gives full control of the game server, so it is stored encrypted and never shown again.',
    secret_wrong: 'Enter the secret alone, without blanks: 40 letters and digits.',
    ca: 'Certificates of your own authority',
    ca_hint: 'In PEM; empty if a public authority signed the certificate of the server.',
    ca_wrong: 'Enter certificates in PEM, -----BEGIN CERTIFICATE----- and no private key.',
    begin: 'Follow this server',
    change: 'Change the connection',
    remove: 'Stop following',
    remove_hint: 'The connection ends and its secret is deleted. What was reported stays.',
    waiting: 'first connection within seconds',
    connected: 'connected',
    failed: 'not connected',
    never: 'It has not been connected yet.',
    contact: 'Last heard',
    reasons: {
      timeout: 'It did not answer in time. Check the address and the firewall.',
      refused: 'The connection was refused: nothing listens on this port.',
      unreachable: 'The host cannot be reached.',
      not_found: 'There is no host with this name.',
      certificate: 'Its certificate does not verify: wrong name, expired, or from an authority that is not known here.',
      unauthorized: 'The secret is wrong.',
      wrong_answer: 'It does not speak the management protocol.',
      too_large: 'A message was too large.',
      too_many_players:
        'It reported more players than a server may add in an hour (NEW_PLAYERS_LIMIT); the rest follows later.',
      closed: 'The server ended the connection. The next attempt follows.',
      secret_unreadable: 'The secret was stored under another secret key. Enter it again.',
    } satisfies Record<ManageReason, string>,
  },
};

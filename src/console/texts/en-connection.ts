/** The English texts about connecting a game server. */
export const connection = {
  connection: {
    title: 'Connection',
    waiting: 'no event yet',
    reload: 'Look again',
    newest: (ago: string) => `newest event ${ago}`,
    rejected: 'rejected, see below',
    no_type: 'no type',
    lead: 'Choose a way for this server; docs/connect.md describes each. Copy the key before you leave or reload this page.',
    ways: {
      agent: [
        'A Minecraft server without a plugin',
        'The agent reads its files: who is online, logins, names and bans.',
      ],
      pgm: ['PGM', 'The agent and the plugin for PGM: every match with teams, objectives, kills and counters.'],
      bukkit: [
        'Spigot or Paper',
        'The agent and the plugin for Bukkit: also /link, /stats and a check for bans at join.',
      ],
      outbox: ['A plugin of your own', 'It appends events to outbox.ndjson, and the agent sends them.'],
      http: ['Anything that speaks HTTP', 'This command reports one player, with the key in INGEST_KEY.'],
    } satisfies Record<string, [string, string]>,
  },
};

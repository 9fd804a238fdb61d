import type { LogLine } from '#agent/log-line.ts';

/**
 * Lines of `latest.log` in the forms of real servers. `source` names the log or the program from which the form is taken; names,
 * UUIDs and addresses are invented. The value of a line says what the agent makes of it: null means nothing.
 */
export interface CorpusPart {
  source: string;
  lines: [text: string, expected: Expected | null][];
}

type Content<T> = T extends unknown ? Omit<T, 'seconds'> : never;
export type Expected = Content<Exclude<LogLine, { kind: 'other' }>>;

export const CORPUS_UUID = '7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a10';
const identity = (name: string): Expected => ({ kind: 'identity', name, uuid: CORPUS_UUID });
const login = (name: string): Expected => ({ kind: 'login', name });
const logout = (name: string): Expected => ({ kind: 'logout', name });

export const CORPUS: readonly CorpusPart[] = [
  {
    source: 'Minecraft 26.3: MCDReforged/MCDReforged#430',
    lines: [
      ['[16:16:58] [Server thread/INFO]: Starting minecraft server version 26.3', { kind: 'starting' }],
      [`[16:17:22] [User Authenticator #1/INFO]: UUID of player Wader is ${CORPUS_UUID}`, identity('Wader')],
      [
        '[16:17:22] [Server thread/INFO]: Wader[/203.0.113.77:39785] logged in with entity id 51 at (-3.5, 64.0, -9.5)',
        login('Wader'),
      ],
      ['[16:17:22] [Server thread/INFO]: System chat: Wader joined the game', null],
      ['[16:17:28] [Server thread/INFO]: Wader lost connection: Disconnected', logout('Wader')],
      ['[16:17:28] [Server thread/INFO]: System chat: Wader left the game', null],
    ],
  },
  {
    source: 'Minecraft 1.20.2 with log-ips=false: net.minecraft.network.Connection.getLoggableAddress',
    lines: [
      [
        '[16:17:22] [Server thread/INFO]: Wader[IP hidden] logged in with entity id 51 at (-3.5, 64.0, -9.5)',
        login('Wader'),
      ],
    ],
  },
  {
    source: 'Paper 1.19: PaperMC/Paper#9032',
    lines: [
      [
        '[00:55:00] [Server thread/INFO]: Otter_5[/[2001:db8::5]:54162] logged in with entity id 1264 at (-575.4380739115202, 63.0, -396.32269617630755)',
        login('Otter_5'),
      ],
    ],
  },
  {
    source: 'Spigot behind BungeeCord: SpigotMC/BungeeCord#3645',
    lines: [
      [`[09:00:16] [User Authenticator #8/INFO]: UUID of player Wa_dEr is ${CORPUS_UUID}`, identity('Wa_dEr')],
      ['[09:00:17] [Server thread/INFO]: Wa_dEr joined the game', null],
      [
        '[09:00:17] [Server thread/INFO]: Wa_dEr[/127.0.0.1:8994] logged in with entity id 189739 at ([world]49.885283175403515, 76.0, 79.48223549478229)',
        login('Wa_dEr'),
      ],
      ['[09:02:54] [Server thread/INFO]: Wa_dEr issued server command: /gamemode creative', null],
      [
        '[09:02:55] [Server thread/INFO]: Wa_dEr issued server command: /link ABCD-2345',
        { kind: 'link', name: 'Wa_dEr', code: 'ABCD-2345' },
      ],
      [
        '[09:03:43] [Server thread/INFO]: Wa_dEr lost connection: Internal Exception: io.netty.handler.codec.DecoderException: java.io.IOException: Packet play/8 (PacketPlayInClientCommand) was larger than I expected, found 218 bytes extra whilst reading packet 8',
        logout('Wa_dEr'),
      ],
      ['[09:03:43] [Server thread/INFO]: Wa_dEr left the game', null],
    ],
  },
  {
    source: 'Spigot 1.10 behind BungeeCord with FastLogin: TuxCoding/FastLogin#60',
    lines: [
      [
        '[19:59:40] [Netty Epoll Server IO #1/DEBUG]: Set listener of net.minecraft.server.v1_10_R1.NetworkManager@eb6b282 to net.minecraft.server.v1_10_R1.HandshakeListener@54951cfd',
        null,
      ],
      ['[19:59:40] [Netty Epoll Server IO #1/DEBUG]: Enabled auto read', null],
      [`[19:59:40] [User Authenticator #1/INFO]: UUID of player Wader_ is ${CORPUS_UUID}`, identity('Wader_')],
      ['[19:59:40] [Server thread/DEBUG]: Set listener of net.minecraft.server.v1_10_R1.NetworkManager@eb6b282', null],
    ],
  },
  {
    source: 'PandaSpigot 1.8.8 behind Velocity: TuxCoding/FastLogin#1275',
    lines: [
      ['[18:28:57] [Server thread/INFO]: Starting minecraft server version 1.8.8', { kind: 'starting' }],
      ['[18:28:57] [Server thread/INFO]: Loading properties', null],
      [
        '[18:28:58] [Server thread/WARN]: *** WARNING *** stats.disable-saving is true but stats.forced-stats.achievement.openInventory isn’t set to 1.',
        null,
      ],
      ['[18:28:58] [Server thread/INFO]: Starting Minecraft server on *:11000', null],
    ],
  },
  {
    source: 'Folia: PaperMC/Folia#200, #219 and #338, Zrips/CMI#8913; the threads with the messages of Paper',
    lines: [
      ['[12:38:44] [Region Scheduler Thread #4/INFO]: Wader (/203.0.113.77:20758) lost connection: Disconnected', null],
      [`[12:38:51] [User Authenticator #90/INFO]: UUID of player Wader is ${CORPUS_UUID}`, identity('Wader')],
      [
        '[12:38:52] [Region Scheduler Thread #3/INFO]: Wader[/203.0.113.77:20823] logged in with entity id 95 at ([world]0.5, 64.0, 0.5)',
        login('Wader'),
      ],
      [
        '[12:39:01] [Region Scheduler Thread #3/INFO]: Wader issued server command: /link ABCD2345',
        { kind: 'link', name: 'Wader', code: 'ABCD2345' },
      ],
      ['[19:53:28] [Region Scheduler Thread #5/INFO]: Wader lost connection: Disconnected', logout('Wader')],
      [
        '[19:53:28] [Region Scheduler Thread #5/ERROR]: Thread Region Scheduler Thread #5 failed main thread check: Accessing entity state off owning region’s thread',
        null,
      ],
      ['[03:34:33] [Region shutdown thread/INFO]: Otter lost connection: Server closed', logout('Otter')],
      ['[03:34:34] [Region shutdown thread/WARN]: Region Scheduler Thread #10: Did not shut down in time', null],
    ],
  },
  {
    source: 'Forge 1.12 and Cleanroom: patterns of log4j2.xml; the handler for Cleanroom of MCDReforged',
    lines: [
      [
        '[19:49:10] [User Authenticator #1/INFO] [minecraft/NetHandlerLoginServer]: UUID of player Wader is ' +
          CORPUS_UUID,
        identity('Wader'),
      ],
      [
        '[09:47:16] [Server thread/INFO] [minecraft/PlayerList]: Wader[/203.0.113.77:9819] logged in with entity id 173 at ([world]-79.5, 85.0, -156.5)',
        login('Wader'),
      ],
      ['[09:47:24] [Async Chat Thread - #0/INFO] []: <Wader> hi', null],
      [
        '[09:47:28] [Server thread/INFO] [minecraft/NetHandlerPlayServer]: Wader lost connection: Disconnected',
        logout('Wader'),
      ],
      [
        '[09:48:06] [Server thread/INFO] [minecraft/DedicatedServer]: Done (4.816s)! For help, type "help" or "?"',
        null,
      ],
      ['[09:49:00] [Server thread/INFO] [minecraft/MinecraftServer]: Stopping server', { kind: 'stopping' }],
    ],
  },
  {
    source: 'Forge 1.16: Tslat/Advent-Of-Ascension#2778',
    lines: [
      [
        '[18:36:22] [Server thread/ERROR] [ne.mi.ev.EventBus/EVENTBUS]: Exception caught during firing event: UUID string too large',
        null,
      ],
      ['        Index: 40', null],
      ['        Listeners:', null],
    ],
  },
  {
    source:
      'Forge 1.17 and later, NeoForge: pattern of latest.log in log4j2.xml; ryanhcode/sable#175; samples in tests of public log readers',
    lines: [
      [
        '[24Jan2024 11:08:01.100] [Server thread/INFO] [net.minecraft.server.dedicated.DedicatedServer/]: Starting minecraft server version 1.20.1',
        { kind: 'starting' },
      ],
      [
        `[10Aug2025 20:49:22.264] [User Authenticator #20/INFO] [net.minecraft.server.network.ServerLoginPacketListenerImpl/]: UUID of player Wader is ${CORPUS_UUID}`,
        identity('Wader'),
      ],
      [
        '[24Jan2024 11:08:47.258] [Server thread/INFO] [net.minecraft.server.players.PlayerList/]: Wader[/203.0.113.77:33916] logged in with entity id 1557 at (-6.5, 63.0, -7.5)',
        login('Wader'),
      ],
      [
        '[10Aug2025 20:49:24.938] [Server thread/INFO] [net.minecraft.server.MinecraftServer/]: Wader joined the game',
        null,
      ],
      [
        '[10十月2024 13:42:24.915] [Server thread/INFO] [net.minecraft.server.players.PlayerList/]: ___Otter[/[2001:db8::5]:5962] logged in with entity id 7 at (1.5, 70.0, 1.5)',
        login('___Otter'),
      ],
      [
        '[158月2026 12:07:24.131] [Server thread/INFO] [net.minecraft.server.network.ServerGamePacketListenerImpl/]: ___Otter lost connection: Disconnected',
        logout('___Otter'),
      ],
      [
        '[19апр.2026 16:21:15.258] [Server thread/INFO] [net.minecraft.server.MinecraftServer/]: Done (20.674s)! For help, type "help"',
        null,
      ],
      [
        '[19апр.2026 16:22:02.127] [Netty Server IO #1/DEBUG] [io.netty.util.Recycler/]: -Dio.netty.recycler.maxCapacityPerThread: disabled',
        null,
      ],
      [
        '[15Jul2024 07:26:59.589] [Server thread/INFO] [ModdingLegacy/blue_skies/]: Sending ToolHandleTypeManager to Wader',
        null,
      ],
    ],
  },
  {
    source: 'Mohist: a log among the tests of aternosorg/codex-minecraft',
    lines: [
      ['[05Jul2022 23:43:20.967] [Server thread/INFO] [Minecraft/]: This server is running Mohist', null],
      [
        '[05Jul2022 23:43:23.874] [Server thread/INFO] [net.minecraft.server.players.PlayerList/]: Forge Injected Bukkit!',
        null,
      ],
    ],
  },
  {
    source: 'CatServer 1.12.2: MCDReforged/MCDReforged#13',
    lines: [
      ['[12:44:32] [Netty Server IO #0/INFO]: Client protocol version 2', null],
      [
        '[12:44:32] [Netty Server IO #0/INFO]: Client attempting to join with 4 mods : minecraft@1.12.2,FML@8.0.99.99',
        null,
      ],
      ['[12:44:32] [Server thread/INFO]: [Server thread] Server side modded connection established', null],
      [
        '[12:44:32] [Server thread/INFO]: Wader[/203.0.113.77:52084] logged in with entity id 951 at ([world]-46.23715083207496, 78.40427338977307, -230.04551873932988)',
        login('Wader'),
      ],
    ],
  },
  {
    source: 'Fabric 1.18.2 with Geyser: MCDReforged/MCDReforged#163',
    lines: [
      [`[18:51:45] [User Authenticator #14/INFO]: UUID of player wader1015 is ${CORPUS_UUID}`, identity('wader1015')],
      [
        '[18:51:45] [Server thread/INFO]: wader1015[/203.0.113.77:62358] logged in with entity id 217800 at (-1.3085081985460965, 128.0, -9.920467150435762)',
        login('wader1015'),
      ],
      ['[18:51:51] [Network Listener - #1/INFO]: /203.0.113.77:52517 嘗試連接！', null],
    ],
  },
  {
    source: 'Spigot with Geyser and Floodgate: GeyserMC/Geyser#5828, GeyserMC/Floodgate#475',
    lines: [
      ['[14:22:51] [GeyserServerChild-4-3/INFO]: [Geyser-Spigot] Player connected with username OtterC4', null],
      [
        '[14:22:51] [localSession-7-3/INFO]: [Geyser-Spigot] OtterC4 (logged in as: OtterC4) has connected to the Java server',
        null,
      ],
      [
        '[14:22:51] [Server thread/INFO]: [floodgate] Floodgate player logged in as .OtterC4 joined (UUID: 00000000-0000-0000-0009-01f331e58a60)',
        null,
      ],
      [
        '[14:22:51] [Server thread/INFO]: .OtterC4[/203.0.113.77:0] logged in with entity id 494424 at ([world]1.5, 63.5625, 1.5)',
        login('.OtterC4'),
      ],
      ['[14:23:18] [Craft Scheduler Thread - 1191 - AuthMe/INFO]: [AuthMe] .OtterC4 logged in 203.0.113.77', null],
      [
        '[14:23:42] [GeyserServerChild-4-3/INFO]: [Geyser-Spigot] OtterC4 has disconnected from the Java server because of Bedrock client disconnected',
        null,
      ],
      ['[14:23:42] [Server thread/INFO]: .OtterC4 lost connection: Disconnected', logout('.OtterC4')],
      ['[01:02:28] [Server thread/INFO]: OtterC4 (/203.0.113.77:0) lost connection: Disconnected', null],
    ],
  },
  {
    source: 'fabric-carpet: gnembon/fabric-carpet#1966',
    lines: [
      [
        '[01:54:42] [Server thread/INFO]: Alex[local] logged in with entity id 454 at (-193.44999998807907, -54.4375, 503.7422109020281)',
        null,
      ],
      ['[01:54:42] [Server thread/INFO]: Alex joined the game', null],
    ],
  },
  {
    source: 'a login that never ended, before 1.20.2: Zrips/CMI#7036',
    lines: [
      [
        `[02:17:10] [Server thread/INFO]: com.mojang.authlib.GameProfile@7446824e[id=${CORPUS_UUID},name=Wader,properties={textures=[com.mojang.authlib.properties.Property@3825ef6c]},legacy=false] (/203.0.113.77:10631) lost connection: Disconnected`,
        null,
      ],
    ],
  },
  {
    source: 'PGM 852bf3d: MatchManagerImpl.java, CycleCountdown.java with map.properties, PGMPlugin.java',
    lines: [
      [
        '[20:00:01] [Server thread/INFO]: [PGM] [MatchManagerImpl] Loaded match-0 (blocks_ctw)',
        { kind: 'map', map: 'blocks_ctw' },
      ],
      ['[20:00:02] [Server thread/INFO]: [PGM] [MatchManagerImpl] Unloaded non-match world', null],
      ['[20:15:00] [Server thread/INFO]: The match has started!', null],
      [
        '[20:30:00] [Server thread/INFO]: Cycling to Harbour’s Day in 5 seconds',
        { kind: 'next_map', name: 'Harbour’s Day' },
      ],
      [
        '[20:30:04] [Server thread/INFO]: \u001b[36mCycling to \u001b[96mBlocks CTW\u001b[36m in \u001b[31m1 second\u001b[m',
        { kind: 'next_map', name: 'Blocks CTW' },
      ],
      ['[20:30:10] [Server thread/INFO]: [PGM] [MatchManagerImpl] Unloaded match-0 (blocks_ctw)', null],
    ],
  },
  {
    source:
      'logs of proxies and consoles: PaperMC/Velocity#909, kyngs/LibreLogin#358, sksat/mc.yohane.su#110, keepcalm/BukkitForge#82',
    lines: [
      [
        '[16:02:00] [Netty epoll Worker #1/INFO] [com.velocitypowered.proxy.connection.client.ConnectedPlayer]: [connected player] Wader (/203.0.113.77:56524) has connected',
        null,
      ],
      ['12:00:00 [信息] [/203.0.113.77:12345] <-> InitialHandler has connected', null],
      [`[12:00:00 INFO]: UUID of player Wader is ${CORPUS_UUID}`, null],
      [`[Mon, 4. Oct 2021 18:34:46 UTC INFO] UUID of player Wader is ${CORPUS_UUID}`, null],
      [
        '2013-01-01 23:02:37 [INFO] [Minecraft] Wader[/203.0.113.77:1426] logged in with entity id 7 at (0.5, 64.0, 0.5)',
        null,
      ],
    ],
  },
  {
    source:
      'Paper 1.17.1 to 1.20.1 with log-player-ip-addresses: false: AuthMe/AuthMeReloaded#2722, PaperMC/Paper#6342',
    lines: [
      [
        '[12:27:29] [Server thread/INFO]: Wader[<ip address withheld>] logged in with entity id 442 at ([world_2]-21.39533431079634, 67.0, 115.29320033212174)',
        login('Wader'),
      ],
    ],
  },
  {
    source: 'ProtocolSupport: LoginListener.java, which names its threads LoginProcessingThread',
    lines: [[`[12:00:00] [LoginProcessingThread/INFO]: UUID of player Wader is ${CORPUS_UUID}`, identity('Wader')]],
  },
  {
    source:
      'Floodgate, a linked Bedrock player: the thread of ModDataHandler.java in GeyserMC/Floodgate-Modded, and of SpigotDataHandler.java in GeyserMC/Floodgate d52b3358',
    lines: [
      [
        `[12:00:00] [Bedrock Linked Player Texture Download/INFO]: UUID of player Wader is ${CORPUS_UUID}`,
        identity('Wader'),
      ],
    ],
  },
  {
    source:
      'names that servers without verification, and Floodgate with replace-spaces: false, accept: GeyserMC/Geyser#263, PaperMC/Paper#10419, #11349',
    lines: [
      [`[12:00:00] [User Authenticator #1/INFO]: UUID of player Wader-2 is ${CORPUS_UUID}`, identity('Wader-2')],
      [`[12:00:00] [User Authenticator #1/INFO]: UUID of player Reed Ling is ${CORPUS_UUID}`, identity('Reed Ling')],
      [
        '[12:00:00] [Server thread/INFO]: Wader-2[/203.0.113.77:1] logged in with entity id 1 at (0.0, 64.0, 0.0)',
        login('Wader-2'),
      ],
      [
        '[12:00:00] [Server thread/INFO]: *.Wader[/203.0.113.77:0] logged in with entity id 1 at (0.0, 64.0, 0.0)',
        login('*.Wader'),
      ],
      [
        '[12:00:00] [Server thread/INFO]: Миряев[/203.0.113.77:1] logged in with entity id 1 at (0.0, 64.0, 0.0)',
        login('Миряев'),
      ],
      ['[12:00:00] [Server thread/INFO]: 小明 lost connection: Disconnected', logout('小明')],
      [
        '[12:00:00] [Server thread/INFO]: __Wader issued server command: /link ABCD2345',
        { kind: 'link', name: '__Wader', code: 'ABCD2345' },
      ],
    ],
  },
  {
    source:
      'the reason of a kick may hold line separators of Unicode: net.minecraft.server.network, the reason as it is',
    lines: [
      ['[12:00:00] [Server thread/INFO]: Wader lost connection: Bye\u2028see you\u2029tomorrow', logout('Wader')],
    ],
  },
];

const LOGIN = 'Wader[/203.0.113.77:1] logged in with entity id 1 at (0.0, 64.0, 0.0)';

/** What a player can cause to be written, in the forms of chat, commands and names. None of it may count. */
export const FORGERIES: readonly string[] = [
  '[12:00:00] [Server thread/INFO]: <Otter> Wader lost connection: Disconnected',
  `[12:00:00] [Server thread/INFO]: <Otter> ${LOGIN}`,
  `[12:00:00] [Server thread/INFO]: [Not Secure] <Otter> ${LOGIN}`,
  `[12:00:00] [Async Chat Thread - #0/INFO]: <Otter> ${LOGIN}`,
  // A chat format without a separator.
  '[12:00:00] [Async Chat Thread - #0/INFO]: Wader lost connection: Disconnected',
  `[12:00:00] [Async Chat Thread - #0/INFO]: ${LOGIN}`,
  '[12:00:00] [Async Chat Thread - #3/INFO]: Wader issued server command: /link ABCD2345',
  '[12:00:00] [Server thread/INFO]: * Otter lost connection: Disconnected',
  '[12:00:00] [Server thread/INFO]: * Wader issued server command: /link ABCD2345',
  '[12:00:00] [Server thread/INFO]: [Otter] Wader lost connection: Disconnected',
  `[12:00:00] [Server thread/INFO]: [Server] ${LOGIN}`,
  `[12:00:00] [Server thread/INFO]: [Broadcast] ${LOGIN}`,
  `[12:00:00] [Server thread/INFO]: [@] ${LOGIN}`,
  '[12:00:00] [Server thread/INFO]: [Otter: Set the display name to Wader lost connection: Disconnected]',
  '[12:00:00] [Server thread/INFO]: Otter issued server command: /me Wader lost connection: Disconnected',
  '[12:00:00] [Server thread/INFO]: Otter issued server command: /say Wader issued server command: /link ABCD2345',
  '[12:00:00] [Server thread/INFO]: Otter issued server command: /link ABCD2345 Wader issued server command: /link X',
  '[12:00:00] [Server thread/INFO]: Otter whispers to Wader: Wader lost connection: Disconnected',
  '[12:00:00] [Server thread/INFO]: Otter: Wader lost connection: Disconnected',
  '[12:00:00] [Server thread/INFO]: Otter » Wader lost connection: Disconnected',
  '[12:00:00] [Server thread/INFO]: System chat: Wader lost connection: Disconnected',
  `[12:00:00] [Server thread/INFO]: Otter has made the advancement [${LOGIN}]`,
  '[12:00:00] [Server thread/INFO]: Otter was slain by Zombie using [Wader lost connection: Disconnected]',
  "[12:00:00] [Server thread/INFO]: Named entity class_1493['Wader lost connection: x'/12, l='ServerLevel[world]'] died: Wader lost connection: x was slain by Otter",
  '[12:00:00] [Server thread/INFO]: Sign at world 1,64,1 by Otter: Wader lost connection: Disconnected',
  `[12:00:00] [Server thread/INFO]: Otter[${LOGIN}`,
  `[12:00:00] [Server thread/INFO]: Otter] ${LOGIN}`,
  `[12:00:00] [Server thread/INFO]: UUID of player Wader is ${CORPUS_UUID}`,
  `[12:00:00] [Async Chat Thread - #0/INFO]: UUID of player Wader is ${CORPUS_UUID}`,
  '[12:00:00] [Server thread/INFO]: <Otter> [PGM] [MatchManagerImpl] Loaded match-0 (otters_map)',
  '[12:00:00] [Async Chat Thread - #0/INFO]: [PGM] [MatchManagerImpl] Loaded match-0 (otters_map)',
  '[12:00:00] [Server thread/INFO]: Otter: Cycling to Nowhere in 5 seconds',
  '[12:00:00] [Server thread/INFO]: <Otter> Stopping server',
  '[12:00:00] [Server thread/INFO]: * Otter Starting minecraft server version 1.8.8',
  // Loggers of mods, and text that looks like the logger of the game.
  `[12:00:00] [Server thread/INFO] [chatmod/]: ${LOGIN}`,
  `[12:00:00] [Server thread/INFO] []: ${LOGIN}`,
  `[12:00:00] [Server thread/INFO] [STDOUT/]: [net.example.Chat:print:12]: ${LOGIN}`,
  `[12:00:00] [Server thread/INFO]: [minecraft/PlayerList]: ${LOGIN}`,
  `[12:00:00] [Server thread/INFO] [chatmod/]: [minecraft/PlayerList]: ${LOGIN}`,
  `[12:00:00] [Server thread/INFO] [minecraft/MinecraftServer]: <Otter> ${LOGIN}`,
  `[15Jan2026 12:00:00.000] [Server thread/INFO] [net.minecraft.server.MinecraftServer/]: [Not Secure] <Otter> ${LOGIN}`,
  `[12:00:00] [Server thread/INFO]: <Otter> [12:00:00] [Server thread/INFO]: ${LOGIN}`,
  `[12:00:00] [Server thread/INFO]: <Otter> x\u2028[12:00:00] [Server thread/INFO]: ${LOGIN}`,
  `[12:00:00] [Render thread/INFO] [minecraft/ChatComponent]: [CHAT] ${LOGIN}`,
  `[12:00:00] [Region Scheduler Thread #x/INFO]: ${LOGIN}`,
  `[12:00:00] [Folia Async Scheduler Thread #1/INFO]: ${LOGIN}`,
  `[12:00:00] [Server thread/WARN]: ${LOGIN}`,
  // No name is an address.
  '[12:00:00] [Server thread/INFO]: 203.0.113.77 lost connection: Disconnected',
];

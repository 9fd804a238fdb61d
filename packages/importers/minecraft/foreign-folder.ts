import { access } from 'node:fs/promises';
import { join } from 'node:path';

const BEDROCK =
  'a server of Bedrock Edition, which writes other files: "scorehall server watch" with --protocol minecraftbedrock shows who is on it';
const PROXY = 'a proxy, which has none of these files: name the folder of a game server behind it';

/** Programs whose folders look like that of a Minecraft server, with files that only they have. */
const PROGRAMS: readonly [name: string, kind: string, files: readonly string[]][] = [
  ['PocketMine-MP', BEDROCK, ['pocketmine.yml', 'PocketMine-MP.phar']],
  ['Nukkit', BEDROCK, ['nukkit.yml', 'pnx.yml']],
  ['the Bedrock Dedicated Server', BEDROCK, ['bedrock_server', 'bedrock_server.exe']],
  ['BungeeCord', PROXY, ['modules.yml', 'waterfall.yml']],
  ['Velocity', PROXY, ['velocity.toml']],
];

/** The end of a sentence about a folder of another program than a server of Java Edition. */
export async function foreignProgram(folder: string): Promise<string | undefined> {
  for (const [name, kind, files] of PROGRAMS)
    for (const file of files) if (await exists(join(folder, file))) return `is the folder of ${name}, ${kind}`;
  return undefined;
}

const exists = async (path: string): Promise<boolean> =>
  await access(path).then(
    () => true,
    () => false,
  );

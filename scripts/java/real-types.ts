import { type Member, type TypeDeclaration } from './declarations.ts';

/** A project whose types the stubs declare. */
export interface Source {
  /** The list of its types is `test/packages/java/NAME.txt`. */
  name: string;
  repository: string;
  commit: string;
  /** The folders of its packages. */
  roots: readonly string[];
  /** How the names of its types begin. */
  prefix: string;
}

/** Of Bukkit the oldest and the newest API for which the plugins are meant; the stubs have what both have. */
export const SOURCES: readonly Source[] = [
  {
    name: 'pgm',
    repository: 'https://github.com/PGMDev/PGM',
    commit: '852bf3d61641cb728c1cd90bbea99628eeffd88f',
    roots: ['core/src/main/java', 'util/src/main/java'],
    prefix: 'tc.oc.pgm.',
  },
  {
    // Bukkit's own repository ends before 1.8; this copy of PaperSpigot has the API of 1.8.8.
    name: 'bukkit-1.8.8',
    repository: 'https://github.com/narumii/Natsuki',
    commit: '4b786df1d1de783124888840afe648b6d3affa87',
    roots: ['PaperSpigot-API/src/main/java'],
    prefix: 'org.bukkit.',
  },
  {
    name: 'paper-26.2',
    repository: 'https://github.com/PaperMC/Paper',
    commit: '6c8d413223ba7fa2dc1c508f96741f49950a90d0',
    roots: ['paper-api/src/main/java'],
    prefix: 'org.bukkit.',
  },
  {
    name: 'placeholderapi-2.12.3',
    repository: 'https://github.com/PlaceholderAPI/PlaceholderAPI',
    commit: 'feb4eff237600e745e99898892e009e083216d59',
    roots: ['src/main/java'],
    prefix: 'me.clip.placeholderapi.',
  },
  {
    // A copy of the release, which is smaller than Guava's own repository.
    name: 'guava-11.0.2',
    repository: 'https://github.com/CyanogenMod/android_external_guava',
    commit: 'fa1a9b039b4702c026d2bd39d5ae6363f6b9651a',
    roots: ['guava/src'],
    prefix: 'com.google.common.',
  },
  {
    name: 'velocity-3.4.0',
    repository: 'https://github.com/PaperMC/Velocity',
    commit: '69ee655d7490705f950699f9d3b0a206671456ab',
    roots: ['api/src/main/java'],
    prefix: 'com.velocitypowered.api.',
  },
  {
    name: 'adventure-4.17.0',
    repository: 'https://github.com/KyoriPowered/adventure',
    commit: 'bbdca1338be5d7d1660abdea7393c6c67c8cf610',
    roots: ['api/src/main/java'],
    prefix: 'net.kyori.adventure.',
  },
  {
    name: 'guice-6.0.0',
    repository: 'https://github.com/google/guice',
    commit: 'f095cad8aa7b59abafacc4d4461ddfc77be83667',
    roots: ['core/src'],
    prefix: 'com.google.inject.',
  },
  {
    name: 'slf4j-2.0.9',
    repository: 'https://github.com/qos-ch/slf4j',
    commit: '216459e5d81c3b066748c51a4eabcda32395fe05',
    roots: ['slf4j-api/src/main/java'],
    prefix: 'org.slf4j.',
  },
];

/** A type of a list: its own supertypes and theirs, and of its members and theirs those that a stub names. */
export type RealType = Pick<TypeDeclaration, 'name' | 'kind' | 'supertypes'> & { signatures: string[] };

export function writeList(source: Source, types: readonly RealType[]): string {
  const head = `# ${source.repository} ${source.commit}\n# Written by scripts/java/list-types.ts\n`;
  const lines = types.flatMap(({ name, kind, supertypes, signatures }) => [
    `${kind} ${name}: ${supertypes.join(' ')}`.trimEnd(),
    ...signatures.map((signature) => `  ${signature}`),
  ]);
  return `${head}${lines.join('\n')}\n`;
}

export function readList(text: string): RealType[] {
  const types: RealType[] = [];
  for (const line of text.split('\n')) {
    const [, kind, name, supertypes = ''] = /^(\S+) (\S+):(?: (.*))?$/.exec(line) ?? [];
    if (line.startsWith('  ')) types.at(-1)!.signatures.push(line.slice(2));
    else if (kind !== undefined && kind !== '#')
      types.push({ kind, name: name!, supertypes: supertypes.split(' '), signatures: [] });
  }
  return types;
}

/** One sentence for each difference: a stub may declare less than the real type, and nothing else. */
export function differences(stub: TypeDeclaration, real: RealType | undefined): string[] {
  if (real === undefined) return [`${stub.name} is not in the list`];
  const { name, kind, supertypes, members } = stub;
  return [
    ...(kind === real.kind ? [] : [`${name} is declared as ${kind}, but is ${real.kind}`]),
    ...supertypes.filter((each) => !real.supertypes.includes(simpleName(each))).map((each) => `${name} is no ${each}`),
    ...members.filter((each) => !real.signatures.includes(each.signature)).map((each) => differing(name, each, real)),
  ];
}

function differing(type: string, { name, signature }: Member, { signatures }: RealType): string {
  const same = signatures.filter((each) => new RegExp(`\\b${name}(?:\\(|$)`).test(each));
  return `${type} has no "${signature}"${same.length > 0 ? `, but "${same.join('", "')}"` : ''}`;
}

export const simpleName = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

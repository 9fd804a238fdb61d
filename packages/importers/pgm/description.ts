import { uuidOf } from '../../text/text.ts';
import type { NetworkLookup } from '../core.ts';
import { ImportRefusal } from '../finding.ts';
import { fit, oneLine } from '../../text/line.ts';
import { gamemodesOf } from './gamemodes.ts';
import { membersOf, type Member } from './members.ts';
import { isTrue } from './preprocess.ts';
import type { Values } from './substitute.ts';
import { elementsOf, type XmlElement } from './xml.ts';

/** The description of one map in its map.xml, before stored values such as player names are added. */
export interface Description {
  name: string;
  version: string;
  proto: string;
  /** Empty if the map.xml has none. */
  objective: string;
  authors: Author[];
  teams: { name: string; max: number; color: string }[];
  gamemodes: string[];
  type: string;
}

export interface Author {
  uuid: string;
  /** The name in the file: the text of the element, or its comment. */
  name: string;
  contribution: string;
}

/** Missing fields have PGM's defaults: the edition `standard`, the team colour white. */
export function describe(values: Values, variant: string, gamemodes: NetworkLookup['gamemodes']): Description {
  return {
    name: variantName(values, variant),
    version: values.mapValue('version') ?? '',
    proto: values.attribute(values.root, 'proto') ?? '',
    objective: fit(values.mapValue('objective', 'description') ?? '', 2_000),
    authors: [...readAuthors(values, 'author'), ...readAuthors(values, 'contributor')].slice(0, 200),
    teams: membersOf(values.root, 'teams', 'team')
      .map(({ element }) => readTeam(values, element))
      .slice(0, 100),
    gamemodes: gamemodesOf(values, gamemodes)
      .map((mode) => fit(mode, 32))
      .slice(0, 20),
    type: fit(values.mapValue('edition')?.toLowerCase() ?? 'standard', 32),
  };
}

/** A variant is a separate map named `Map: Variant`, or just `Variant` with the attribute `override`. */
function variantName(values: Values, variant: string): string {
  const name = values.mapValue('name');
  const element = elementsOf(values.root, 'variant').find(({ attributes }) => attributes.get('id') === variant);
  if (!element) return name ?? refuseNameless();
  const own = values.text(element) || variant;
  if (isTrue(values.attribute(element, 'override'))) return own;
  return `${name ?? refuseNameless()}: ${own}`;
}

function refuseNameless(): never {
  throw new ImportRefusal('has no <name>');
}

function readAuthors(values: Values, kind: 'author' | 'contributor'): Author[] {
  return membersOf(values.root, `${kind}s`, kind).flatMap((member) => {
    const author = readAuthor(values, member);
    if (author.uuid !== '' || author.name !== '') return [author];
    values.note(member.element, `<${kind}> has neither a UUID nor a name and is left out`);
    return [];
  });
}

function readAuthor(values: Values, { element, comment }: Member): Author {
  const raw = values.attribute(element, 'uuid') ?? '';
  const uuid = uuidOf(raw) ?? '';
  if (raw !== '' && uuid === '') values.note(element, `"${fit(raw, 64)}" is not a UUID`);
  const contribution = values.attribute(element, 'contribution', 'contrib') ?? '';
  return { uuid, name: fit(values.text(element) || oneLine(comment), 64), contribution: fit(contribution, 512) };
}

function readTeam(values: Values, element: XmlElement): Description['teams'][number] {
  const name = values.text(element) || values.attribute(element, 'name', 'id') || '';
  return {
    name: fit(name, 128),
    max: readMax(values, element),
    color: readColor(values.attribute(element, 'color') ?? 'white'),
  };
}

function readMax(values: Values, element: XmlElement): number {
  const max = values.attribute(element, 'max') ?? '0';
  if (/^\d{1,9}$/.test(max)) return Number(max);
  values.note(element, `"${fit(max, 32)}" is not a number of players`);
  return 0;
}

/** The colour in Minecraft's spelling: `dark_red` for dark red, dark-red and DARK_RED. */
function readColor(color: string): string {
  return fit(
    color
      .trim()
      .toLowerCase()
      .replace(/[\s_-]+/g, '_'),
    32,
  );
}

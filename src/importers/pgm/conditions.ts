import { runInNewContext } from 'node:vm';
import type { XmlElement } from './xml.ts';

/** What `<if>` and `<unless>` ask about. A constant that a map deletes is there, and null. */
export interface ConditionContext {
  variant: string;
  variants: ReadonlySet<string>;
  constants: ReadonlyMap<string, string | null>;
}

/** Either an answer or why there is none. */
export type ConditionResult = boolean | { problem: string };

type Check = (value: string, element: XmlElement, known: ConditionContext) => ConditionResult;

/**
 * The attributes that PGM knows, all of which must hold. The version of the game server is not known here: maps are read
 * as the newest server reads them.
 */
const CHECKS: Record<string, Check> = {
  variant: (value, _element, { variant }) => listed(value).includes(variant),
  'has-variant': (value, _element, { variants }) => listed(value).some((id) => variants.has(id)),
  constant: compareConstant,
  'min-server-version': () => true,
  'max-server-version': () => false,
};

export function holds(element: XmlElement, known: ConditionContext): ConditionResult {
  const asked = Object.entries(CHECKS).filter(([name]) => element.attributes.has(name));
  if (asked.length === 0) return { problem: `<${element.name}> has no condition` };
  const answers = asked.map(([name, check]) => check(element.attributes.get(name)!, element, known));
  return answers.find((answer) => typeof answer === 'object') ?? answers.every((answer) => answer === true);
}

/** One id may hold blanks; several are parted by commas. */
function listed(value: string): string[] {
  return value.includes(',') ? value.split(/[\s,]+/) : [value];
}

function compareConstant(id: string, element: XmlElement, { constants }: ConditionContext): ConditionResult {
  const wanted = element.attributes.get('constant-value');
  const comparison = element.attributes.get('constant-comparison') ?? (wanted === undefined ? 'defined' : 'equals');
  const constant = constants.get(id);
  const kind = comparison
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  if (kind === 'undefined') return constant === undefined;
  if (kind === 'defined') return constant !== undefined;
  if (kind === 'defined_delete') return constant === null;
  if (kind === 'defined_value') return typeof constant === 'string';
  if (wanted === undefined) return { problem: `<${element.name}> compares with no constant-value` };
  if (constant === undefined) return { problem: `constant "${id}" is asked for but not defined before` };
  return constant === null ? false : compareValue(kind, constant, wanted);
}

/** Far beyond any that a map needs: what is compared by pattern stays short. */
const MAX_LENGTH = 1_000;

function compareValue(kind: string, constant: string, wanted: string): ConditionResult {
  if (constant.length + wanted.length > MAX_LENGTH) return { problem: 'what it compares is too long' };
  if (kind === 'equals') return constant === wanted;
  if (kind === 'contains') return wanted.split(/[\s,]+/).includes(constant);
  if (kind === 'regex') return matches(wanted, constant);
  if (kind === 'range') return inRange(wanted, constant);
  return { problem: `constant-comparison "${kind}" is not known` };
}

const REGEX_TIMEOUT_MS = 100;

/** Patterns come with the file: one that does not come to an end is stopped. */
function matches(pattern: string, text: string): ConditionResult {
  try {
    const test = 'new RegExp(`^(?:${pattern})$`, "u").test(text)';
    return runInNewContext(test, { pattern, text }, { timeout: REGEX_TIMEOUT_MS }) as boolean;
  } catch {
    return { problem: `the pattern "${pattern}" cannot be used` };
  }
}

const NUMBER = String.raw`[+-]?oo|[+-]?(?:\d+\.?\d*|\.\d+)`;
const DOTS = new RegExp(`^(${NUMBER})?\\s*\\.\\.\\s*(${NUMBER})?$`);
const BRACKETS = new RegExp(`^([([])\\s*(${NUMBER})\\s*,\\s*(${NUMBER})\\s*([)\\]])$`);

/** `1..5`, `..5`, `1..`, `[1, 5)` or one number; `oo` is infinity. */
function inRange(range: string, text: string): ConditionResult {
  const value = numberOf(text.trim());
  if (Number.isNaN(value)) return { problem: `"${text}" is not a number` };
  const dots = DOTS.exec(range.trim());
  if (dots) return value >= numberOf(dots[1] ?? '-oo') && value <= numberOf(dots[2] ?? 'oo');
  const brackets = BRACKETS.exec(range.trim());
  if (!brackets)
    return Number.isNaN(numberOf(range)) ? { problem: `"${range}" is not a range` } : value === numberOf(range);
  const [, open, low, high, close] = brackets;
  const above = open === '[' ? value >= numberOf(low!) : value > numberOf(low!);
  return above && (close === ']' ? value <= numberOf(high!) : value < numberOf(high!));
}

function numberOf(text: string): number {
  if (/^[+-]?oo$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return text.trim() === '' ? Number.NaN : Number(text);
}

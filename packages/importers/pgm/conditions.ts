import { runInNewContext } from 'node:vm';
import type { XmlElement } from './xml.ts';

/** The values that `<if>` and `<unless>` compare. A deleted constant is present as null. */
export interface ConditionContext {
  variant: string;
  variants: ReadonlySet<string>;
  constants: ReadonlyMap<string, string | null>;
}

/** Whether the condition holds, or why it cannot be decided. */
export type ConditionResult = boolean | { problem: string };

type Check = (value: string, element: XmlElement, context: ConditionContext) => ConditionResult;

/**
 * The condition attributes of PGM; all that are given must hold. The version of the game server is unknown, so maps are
 * read as the newest server reads them.
 */
const CHECKS: Record<string, Check> = {
  variant: (value, _element, { variant }) => listed(value).includes(variant),
  'has-variant': (value, _element, { variants }) => listed(value).some((id) => variants.has(id)),
  constant: compareConstant,
  'min-server-version': () => true,
  'max-server-version': () => false,
};

export function holds(element: XmlElement, context: ConditionContext): ConditionResult {
  const checks = Object.entries(CHECKS).filter(([name]) => element.attributes.has(name));
  if (checks.length === 0) return { problem: `<${element.name}> has no condition` };
  const results = checks.map(([name, check]) => check(element.attributes.get(name)!, element, context));
  return results.find((result) => typeof result === 'object') ?? results.every((result) => result === true);
}

/** A list is separated by commas; a single id may contain spaces. */
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
  if (wanted === undefined) return { problem: `<${element.name}> has no constant-value to compare with` };
  if (constant === undefined) return { problem: `constant "${id}" is compared but not defined before` };
  return constant === null ? false : compareValue(kind, constant, wanted);
}

/** Maximum length of constant and pattern together, which bounds the time of a regular expression. */
const MAX_LENGTH = 1_000;

function compareValue(kind: string, constant: string, wanted: string): ConditionResult {
  if (constant.length + wanted.length > MAX_LENGTH) return { problem: 'the compared values are too long' };
  if (kind === 'equals') return constant === wanted;
  if (kind === 'contains') return wanted.split(/[\s,]+/).includes(constant);
  if (kind === 'regex') return matches(wanted, constant);
  if (kind === 'range') return inRange(wanted, constant);
  return { problem: `constant-comparison "${kind}" is not known` };
}

const REGEX_TIMEOUT_MS = 100;

/** Patterns come from untrusted files, so a pattern that backtracks without end is stopped by a timeout. */
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
  const value = parseNumber(text.trim());
  if (Number.isNaN(value)) return { problem: `"${text}" is not a number` };
  const dots = DOTS.exec(range.trim());
  if (dots) return value >= parseNumber(dots[1] ?? '-oo') && value <= parseNumber(dots[2] ?? 'oo');
  const brackets = BRACKETS.exec(range.trim());
  if (!brackets)
    return Number.isNaN(parseNumber(range)) ? { problem: `"${range}" is not a range` } : value === parseNumber(range);
  const [, open, low, high, close] = brackets;
  const above = open === '[' ? value >= parseNumber(low!) : value > parseNumber(low!);
  return above && (close === ']' ? value <= parseNumber(high!) : value < parseNumber(high!));
}

function parseNumber(text: string): number {
  if (/^[+-]?oo$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return text.trim() === '' ? Number.NaN : Number(text);
}

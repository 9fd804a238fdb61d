import { createRequire } from 'node:module';
import type JSON5 from 'json5';
import { ImportRefusal } from './finding.ts';
import { oneLine } from '../text/line.ts';

/**
 * Parses JSON as game servers do: comments, trailing commas, single quotes and unquoted member names are allowed. Valid
 * JSON never reaches the slower parser. @throws ImportRefusal with line and column
 */
export function parseLenientJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return parseJson5(text);
  }
}

/** Loaded when needed, because the agent rarely reads such a file. It may be installed without packages. */
function loadJson5(): typeof JSON5 | undefined {
  try {
    return createRequire(import.meta.url)('json5') as typeof JSON5;
  } catch {
    return undefined;
  }
}

function parseJson5(text: string): unknown {
  const parser = loadJson5();
  if (parser === undefined) throw new ImportRefusal('is not JSON', '');
  try {
    return parser.parse(text);
  } catch (error) {
    const { message, lineNumber, columnNumber } = error as Error & { lineNumber?: number; columnNumber?: number };
    const place = lineNumber === undefined ? '' : `line ${lineNumber}, column ${columnNumber}`;
    throw new ImportRefusal(
      `is not JSON: ${oneLine(message.replace(/^JSON5: /, '').replace(/ at \d+:\d+$/, ''))}`,
      place,
    );
  }
}

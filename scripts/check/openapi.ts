// Lints the OpenAPI documents in docs/openapi by the recommended rules of redocly and spectral: no error, no warning.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const FOLDER = join(import.meta.dirname, '../../docs/openapi');

const config = await createConfig({ extends: ['recommended'] });
const linter = new spectral.Spectral();
// Two versions of spectral's types disagree about their own rule set.
linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] });

for (const name of ['data-api.json', 'ingest.json']) {
  const source = readFileSync(join(FOLDER, name), 'utf8');
  for (const { ruleId, message, location } of await lintFromString({ source, config })) {
    report(name, `redocly ${ruleId}`, message, location[0]?.pointer ?? '');
  }
  for (const { code, message, path } of await linter.run(source)) {
    report(name, `spectral ${code}`, message, path.join('/'));
  }
}

function report(name: string, rule: string, message: string, place: string): void {
  console.error(`docs/openapi/${name} ${place}: ${message} (${rule})`);
  process.exitCode = 1;
}

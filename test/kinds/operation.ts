// An invented operation: the compiler demands each property. `npm run check` compiles this file; nothing runs it.

import { z } from 'zod';
import { wholeNumber } from '#admin/fields.ts';
import { operation, refuse } from '#admin/operation.ts';
import { command } from '#cli/command/operation-command.ts';
import { operationForm } from '#console/operation-form.ts';

interface Lamp {
  id: string;
  name: string;
}

const name = 'lamp.light';
const subject = ({ id, name: label }: Lamp) => ({ subject: id, label });
const fields = z.strictObject({ hours: wholeNumber(1, 24) });
const who = 'operator';
const reauthenticate = 'never';
const impact = async () => ({ lamps: 1 });
const run = async (_: unknown, { id }: Lamp) => (id === '' ? refuse('broken') : { until: 0 });
const detail = ({ hours }: { hours: number }) => ({ hours });

const lightLamp = operation({ name, subject, fields, who, reauthenticate, impact, run, detail });

// @ts-expect-error: without a name
operation({ subject, fields, who, reauthenticate, impact, run, detail });
// @ts-expect-error: without a subject
operation({ name, fields, who, reauthenticate, impact, run, detail });
// @ts-expect-error: without fields
operation({ name, subject, who, reauthenticate, impact, run, detail });
// @ts-expect-error: without saying who may do it
operation({ name, subject, fields, reauthenticate, impact, run, detail });
// @ts-expect-error: without the decision about the password
operation({ name, subject, fields, who, impact, run, detail });
// @ts-expect-error: without an impact, or that there is none
operation({ name, subject, fields, who, reauthenticate, run, detail });
// @ts-expect-error: without what it does
operation({ name, subject, fields, who, reauthenticate, impact, detail });
// @ts-expect-error: without what the audit log says of it
operation({ name, subject, fields, who, reauthenticate, impact, run });

const words = 'lamp light';
const summary = 'Light a lamp';
const row = { options: {}, find: async (): Promise<Lamp> => ({ id: '1', name: 'Lamp' }) };
const options = { hours: { help: 'For how long' } };
const result = () => ({ lit: true });

command(lightLamp, { words, summary, row, options, refused: { broken: () => 'It is broken.' }, result });
// @ts-expect-error: without an option for each field
command(lightLamp, { words, summary, row, options: {}, refused: { broken: () => 'It is broken.' }, result });
// @ts-expect-error: without a sentence for each refusal
command(lightLamp, { words, summary, row, options, refused: {}, result });

const find = row.find;
const done = (): string => '/lamps';

operationForm('/lamps', lightLamp, { find, refused: { broken: done }, done });
// @ts-expect-error: without what follows each refusal
operationForm('/lamps', lightLamp, { find, refused: {}, done });

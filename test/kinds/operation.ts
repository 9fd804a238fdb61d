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
const loss = 'none';
const reauthenticate = 'never';
const changes = ['server'] as const;
const impact = async () => ({ lamps: 1 });
const run = async (_: unknown, { id }: Lamp) => (id === '' ? refuse('broken') : { until: 0 });
const detail = ({ hours }: { hours: number }) => ({ hours });

const lightLamp = operation({ name, subject, fields, who, loss, reauthenticate, changes, impact, run, detail });

// @ts-expect-error: without a name
operation({ subject, fields, who, loss, reauthenticate, changes, impact, run, detail });
// @ts-expect-error: without a subject
operation({ name, fields, who, loss, reauthenticate, changes, impact, run, detail });
// @ts-expect-error: without fields
operation({ name, subject, who, loss, reauthenticate, changes, impact, run, detail });
// @ts-expect-error: without saying who may do it
operation({ name, subject, fields, loss, reauthenticate, changes, impact, run, detail });
// @ts-expect-error: without the decision about the password
operation({ name, subject, fields, who, loss, changes, impact, run, detail });
// @ts-expect-error: without saying what it takes away
operation({ name, subject, fields, who, reauthenticate, changes, impact, run, detail });
// @ts-expect-error: a permanent loss without the password
operation({ name, subject, fields, who, loss: 'permanent', reauthenticate, changes, impact, run, detail });
// @ts-expect-error: without the kinds of resources that it changes
operation({ name, subject, fields, who, loss, reauthenticate, impact, run, detail });
// @ts-expect-error: without an impact, or that there is none
operation({ name, subject, fields, who, loss, reauthenticate, changes, run, detail });
// @ts-expect-error: without what it does
operation({ name, subject, fields, who, loss, reauthenticate, changes, impact, detail });
// @ts-expect-error: without what the audit log says of it
operation({ name, subject, fields, who, loss, reauthenticate, changes, impact, run });

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

const breakLamp = operation({
  name,
  subject,
  fields,
  who,
  loss: 'restorable',
  reauthenticate,
  changes,
  impact,
  run,
  detail,
});
const wording = { words, summary, row, options, refused: { broken: () => 'It is broken.' }, result };
command(breakLamp, { ...wording, confirm: () => ({ act: 'This breaks the lamp.', impact: {} }) });
// @ts-expect-error: without a question, for an operation that takes something away
command(breakLamp, wording);

const find = row.find;
const done = (): string => '/lamps';

operationForm('/lamps', lightLamp, { find, refused: { broken: done }, done });
// @ts-expect-error: without what follows each refusal
operationForm('/lamps', lightLamp, { find, refused: {}, done });
// @ts-expect-error: without a page before it, for an operation that takes something away
operationForm('/lamps', breakLamp, { find, refused: { broken: done }, done });

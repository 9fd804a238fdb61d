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
const summary = 'Light a lamp';
const find = async (): Promise<Lamp> => ({ id: '1', name: 'Lamp' });
const target = { option: 'lamp', value: 'ID', help: 'The id of the lamp', find };
const subject = ({ id, name: label }: Lamp) => ({ subject: id, label });
const fields = z.strictObject({ hours: wholeNumber(1, 24) });
const options = { hours: 'For how long' };
const who = 'operator';
const loss = 'none';
const reauthenticate = 'never';
const changes = ['server'] as const;
const impact = async () => ({ lamps: 1 });
const run = async (_: unknown, { id }: Lamp) => (id === '' ? refuse('broken') : { until: 0 });
const refused = { broken: () => 'It is broken.' };
const detail = ({ hours }: { hours: number }) => ({ hours });

const words = { name, summary, target, subject, fields, options, refused };
const effects = { who, loss, reauthenticate, changes, impact, run, detail } as const;
const lightLamp = operation({ ...words, ...effects });

const { name: _name, ...withoutName } = words;
// @ts-expect-error: without a name
operation({ ...withoutName, ...effects });
const { summary: _summary, ...withoutSummary } = words;
// @ts-expect-error: without saying what it does
operation({ ...withoutSummary, ...effects });
const { target: _target, ...withoutTarget } = words;
// @ts-expect-error: without how what it acts on is found, or that its command finds it
operation({ ...withoutTarget, ...effects });
const { subject: _subject, ...withoutSubject } = words;
// @ts-expect-error: without a subject
operation({ ...withoutSubject, ...effects });
const { fields: _fields, ...withoutFields } = words;
// @ts-expect-error: without fields
operation({ ...withoutFields, ...effects });
// @ts-expect-error: without a sentence for each field
operation({ ...words, options: {}, ...effects });
// @ts-expect-error: without a sentence for each refusal
operation({ ...words, refused: {}, ...effects });
const { who: _who, ...withoutWho } = effects;
// @ts-expect-error: without saying who may do it
operation({ ...words, ...withoutWho });
const { reauthenticate: _reauthenticate, ...withoutReauthenticate } = effects;
// @ts-expect-error: without the decision about the password
operation({ ...words, ...withoutReauthenticate });
const { loss: _loss, ...withoutLoss } = effects;
// @ts-expect-error: without saying what it takes away
operation({ ...words, ...withoutLoss });
// @ts-expect-error: a permanent loss without the password
operation({ ...words, ...effects, loss: 'permanent' });
const { changes: _changes, ...withoutChanges } = effects;
// @ts-expect-error: without the kinds of resources that it changes
operation({ ...words, ...withoutChanges });
const { impact: _impact, ...withoutImpact } = effects;
// @ts-expect-error: without an impact, or that there is none
operation({ ...words, ...withoutImpact });
const { run: _run, ...withoutRun } = effects;
// @ts-expect-error: without what it does
operation({ ...words, ...withoutRun });
const { detail: _detail, ...withoutDetail } = effects;
// @ts-expect-error: without what the audit log says of it
operation({ ...words, ...withoutDetail });

const result = () => ({ lit: true });
command(lightLamp, 'lamp light', { result });
// @ts-expect-error: without what it prints
command(lightLamp, 'lamp light', {});

const breakLamp = operation({ ...words, ...effects, loss: 'restorable' });
command(breakLamp, 'lamp break', { result, confirm: () => ({ act: 'This breaks the lamp.', impact: {} }) });
// @ts-expect-error: without a question, for an operation that takes something away
command(breakLamp, 'lamp break', { result });

const done = (): string => '/lamps';

operationForm('/lamps', lightLamp, { find, refused: { broken: done }, done });
// @ts-expect-error: without what follows each refusal
operationForm('/lamps', lightLamp, { find, refused: {}, done });
// @ts-expect-error: without a page before it, for an operation that takes something away
operationForm('/lamps', breakLamp, { find, refused: { broken: done }, done });

import { html } from 'hono/html';
import { type Field, type Choice, select } from '#http/fields.ts';
import type { Form } from '#http/form.ts';
import type { Html } from '#http/page.ts';
import type { ConsoleRequest } from './routes.ts';

/** The value of the option "other". Somebody who enters this text as another value does so in the other field. */
const OTHER = '…';

/**
 * A choice among usual values; the stylesheet shows the field of another value while the option "other" is chosen.
 * @param chosen the value, as `chosenIn` reads it
 * @param other makes the field of another value from its name and value
 */
export function choiceField(
  { texts }: ConsoleRequest,
  { name, label, options, chosen }: { name: string; label: string; options: readonly Choice[]; chosen: string },
  other: (field: Pick<Field, 'name' | 'value' | 'optional'>) => Html,
): Html {
  const isUsual = options.some(({ value }) => value === chosen);
  const all = [...options, { value: OTHER, label: texts.other }];
  return html`<div class="choice-or-other">
    ${select(name, label, all, isUsual ? chosen : OTHER)}
    ${other({ name: otherName(name), value: isUsual ? '' : chosen, optional: true })}
  </div>`;
}

/** The value of a choice. */
export const chosenIn = (form: Form, name: string): string =>
  (form[name] === OTHER ? form[otherName(name)] : form[name]) ?? '';

const otherName = (name: string): string => `${name}_other`;

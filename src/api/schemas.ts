import { z } from 'zod';

/** Shapes that several responses share. */
export const id = z.string().meta({ description: 'Opaque; newer ids compare greater as text' });
export const timestamp = z.iso
  .datetime({ offset: true, precision: 3 })
  .meta({ description: 'ISO 8601 with three fractional digits and a numeric offset' });
export const link = z.url().meta({ description: "URL of the resource's public page" });
export const person = z.object({ uuid: z.string(), name: z.string() });
export const count = z.int().min(0);
export const seconds = count.meta({ description: 'Seconds' });

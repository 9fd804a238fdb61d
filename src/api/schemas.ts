import { z } from 'zod';

/** Shapes that several responses share. */
export const id = z.string().meta({ description: 'Opaque; newer ids compare greater as text' });
/** Without `Z`, which the schema of Zod would allow: the offset is always numeric. */
export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}[+-]\d{2}:\d{2}$/)
  .meta({ format: 'date-time', description: 'ISO 8601 with three fractional digits and a numeric offset' });
export const link = z.url().meta({ description: "URL of the resource's public page" });
/** Empty for a deleted player, whom game servers and staff may check for bans. The empty text is a URI reference. */
export const linkOrEmpty = z
  .string()
  .meta({ format: 'uri-reference', description: "URL of the resource's public page; empty for a deleted player" });
export const person = z.object({ uuid: z.string(), name: z.string() });
export const count = z.int().min(0);
export const seconds = count.meta({ description: 'Seconds' });

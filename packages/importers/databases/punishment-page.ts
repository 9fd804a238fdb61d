import { isFuture } from '../clock-difference.ts';
import type { Finding, ReadRow } from '../finding.ts';
import type { ImportContext } from './database-import.ts';
import { eventsOf, type PunishmentRecord, termsText } from './punishment-record.ts';

/** Compares the punishments of a page with the last import, and yields events for the differences. */
export async function* punishmentFindings(
  part: string,
  records: readonly PunishmentRecord[],
  { network, source, state }: ImportContext,
): AsyncGenerator<Finding> {
  const before = await state.rows(
    part,
    records.map(({ rowId }) => rowId),
  );
  const uncertain = records.filter(({ rowId }) => (before.get(rowId)?.hash ?? '') === '');
  const known = await network.punishmentsOf(uncertain.map(({ reference }) => reference));
  const read: ReadRow[] = [];
  const now = network.now();
  for (const record of records) {
    const { table: file, place, rowId, reference } = record;
    const earlier = before.get(rowId);
    const hash = state.hash(termsText(record));
    const events = eventsOf(record, hash, earlier, known.get(reference), now);
    if (isFuture(record.time, now) && events.some(({ type }) => type === 'punishment.issued'))
      yield {
        file,
        place,
        note: 'begins in the future: the clock of its server was ahead; imported with the present time',
      };
    for (const event of events) yield { file, place, event };
    if (events.length === 0) yield { file, place, unchanged: reference };
    if (events.length === 0 && earlier?.hash === hash) continue;
    const isChange = events.some(({ type }) => type === 'punishment.changed');
    const version = (earlier?.version ?? 0) + (isChange ? 1 : 0);
    const revoked =
      earlier?.revoked === true || known.get(reference)?.revoked === true || record.revocation !== undefined;
    const row = { rowId, reference, hash, version, revoked, expires: record.expires };
    read.push({ row, eventIds: events.map(({ id }) => id) });
  }
  if (read.length > 0) yield { file: part, place: '', checkpoint: { source, rows: { part, read } } };
}

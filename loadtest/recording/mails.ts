import { setTimeout as pause } from 'node:timers/promises';
import type { World } from './world.ts';

const QUIET_MS = 400;

/** Records all unread mails, once no other follows. They are sent in the background, so their order is not kept. */
export async function recordMails({ mail, recording, name }: World): Promise<void> {
  for (let before = -1; before < mail.count; await pause(QUIET_MS)) before = mail.count;
  const texts = mail.unread.map(({ to, subject, text }) => `To: ${to}\nSubject: ${subject}\n\n${text}\n`);
  await recording.write(`${name}/mails.txt`, texts.sort().join('\n----\n'));
}

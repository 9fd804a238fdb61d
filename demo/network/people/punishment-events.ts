import { timestampOf } from '#demo/network/match/match.ts';
import type { Player } from './players.ts';
import type { Sentence } from './punishments.ts';
import type { Timed } from '../event-queue.ts';
import type { GeneratedHistory } from '../history.ts';

/** The events of all punishments: issued, and for some changed or revoked. */
export function sentenceEvents(history: GeneratedHistory): Timed[] {
  return history.sentences.flatMap((sentence) => [
    issued(history, sentence),
    ...changed(sentence),
    ...revoked(history, sentence),
  ]);
}

const caseReference = (sentence: Sentence): string => `case-${String(sentence.number + 1).padStart(3, '0')}`;

function issued(history: GeneratedHistory, sentence: Sentence): Timed {
  const { offence, time, expires, server, punished, punisher } = sentence;
  const person = (player: Player): { uuid: string; name: string } => ({
    uuid: player.uuid,
    name: history.naming(player, time),
  });
  return {
    time,
    event: {
      version: 1,
      id: `${caseReference(sentence)}-issued`,
      type: 'punishment.issued',
      time: timestampOf(time),
      server,
      data: {
        punishment: caseReference(sentence),
        punished: person(punished),
        punisher: punisher === null ? null : person(punisher),
        type: offence.type,
        level: offence.level,
        reason: offence.reason,
        expires: expires === null ? null : timestampOf(expires),
        automatic: offence.automatic,
      },
    },
  };
}

function changed(sentence: Sentence): Timed[] {
  if (sentence.changed === undefined) return [];
  const { time, expires, reason } = sentence.changed;
  const data = { punishment: caseReference(sentence), reason, expires: timestampOf(expires) };
  const event = {
    version: 1,
    id: `${data.punishment}-changed`,
    type: 'punishment.changed',
    time: timestampOf(time),
    server: sentence.server,
    data,
  } as const;
  return [{ time, event }];
}

function revoked(history: GeneratedHistory, sentence: Sentence): Timed[] {
  if (sentence.revoked === undefined) return [];
  const { revoked: time, punisher } = sentence;
  const revoker = punisher === null ? null : { uuid: punisher.uuid, name: history.naming(punisher, time) };
  const data = { punishment: caseReference(sentence), reason: 'Appeal accepted', revoker };
  const event = {
    version: 1,
    id: `${data.punishment}-revoked`,
    type: 'punishment.revoked',
    time: timestampOf(time),
    server: sentence.server,
    data,
  } as const;
  return [{ time, event }];
}

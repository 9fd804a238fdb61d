import { z } from 'zod';
import { eventType, PLAIN } from './event-type.ts';
import { EXAMPLE_UUID, uuid } from './members.ts';

const data = z
  .strictObject({ from: uuid, into: uuid })
  .refine(({ from, into }) => from !== into, { path: ['into'], message: 'must be another UUID than from' });

export const MERGE_EVENTS = {
  'player.merged': eventType({
    description: 'All of one UUID counts for another from now on; from operators only',
    data,
    example: { from: '2b9f6f3e-7c55-4e2a-8f0d-3d1c5b7a9e42', into: EXAMPLE_UUID },
    ...PLAIN,
    sender: 'operators',
  }),
};

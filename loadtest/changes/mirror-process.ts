import { MirrorDisk } from './mirror-disk.ts';
import { type MirrorKind, MIRRORS } from './mirror-kinds.ts';
import type { Following } from './mirror-value.ts';

/** The process of one mirror, which follows until it is killed. */

/** The message to a new process. */
export interface MirrorOrder extends Omit<Following, 'disk'> {
  kind: MirrorKind;
  file: string;
}

process.on('message', ({ kind, file, ...order }: MirrorOrder) => {
  const disk = new MirrorDisk(file);
  void MIRRORS[kind].follow({ ...order, disk }).catch((error: Error) => {
    disk.fault(`the mirror failed: ${error.stack}`);
    process.exit(1);
  });
});
// The end of an interrupted load test ends its mirrors.
process.on('disconnect', () => process.exit());

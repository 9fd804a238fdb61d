import { type Job, jobId, pauseJob as pause, resumeJob as resume } from '#store/jobs.ts';
import { withoutFields } from './fields.ts';
import { operation, refuse, type Working } from './operation.ts';

/** A job in this state cannot be paused or resumed. */
const wrongState = refuse('wrong_state');

const onJob = {
  subject: (job: Job) => ({ subject: jobId(job), label: job.label }),
  ...withoutFields,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
} as const;

/** Pauses a job; what it has done stays. */
export const pauseJob = operation({
  name: 'job.pause',
  ...onJob,
  run: async ({ tx }: Working, { key }: Job) => ((await pause(tx, key)) ? undefined : wrongState),
});

/** Continues a job that was paused or has failed. */
export const resumeJob = operation({
  name: 'job.resume',
  ...onJob,
  run: async ({ tx }: Working, { key }: Job) => ((await resume(tx, key)) ? undefined : wrongState),
});

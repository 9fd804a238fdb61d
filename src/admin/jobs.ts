import { UsageError } from '#platform/errors.ts';
import { keyOf } from '#platform/ids.ts';
import { type Job, jobByKey, jobId, pauseJob as pause, resumeJob as resume } from '#store/jobs.ts';
import { withoutFields } from './fields.ts';
import { ofOperators, operation, refuse, type Target } from './operation.ts';

export const byJobId: Target<Job> = {
  option: 'job',
  value: 'ID',
  help: 'The id of the job, as "job list" shows it',
  find: async (db, id) => {
    const job = await jobByKey(db, keyOf(id) ?? 0);
    if (job === undefined) throw new UsageError(`There is no job ${id}; see: scorehall job list`);
    return job;
  },
};

/** A job in this state cannot be paused or resumed. */
const wrongState = refuse('wrong_state');

const onJob = {
  ...ofOperators,
  ...withoutFields,
  target: byJobId,
  subject: (job: Job) => ({ subject: jobId(job), label: job.label }),
  refused: { wrong_state: (job: Job) => `The job ${jobId(job)} is ${job.state} already.` },
};

export const pauseJob = operation({
  ...onJob,
  name: 'job.pause',
  summary: 'Pause a job; what it has done stays, and it can be resumed',
  run: async ({ tx }, { key }) => ((await pause(tx, key)) ? undefined : wrongState),
});

export const resumeJob = operation({
  ...onJob,
  name: 'job.resume',
  summary: 'Continue a job that was paused or has failed',
  run: async ({ tx }, { key }) => ((await resume(tx, key)) ? undefined : wrongState),
});

import { sql } from '#db/sql.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { jobId, pauseJob } from '#store/jobs.ts';
import type { TestAppContext } from '#test/support/context.ts';
import type { Example, Twin } from './examples.ts';

interface JobTwin extends Twin {
  id: string;
  key: number;
}

/** A job without others before it, for which it would wait. */
async function job({ db, clock }: TestAppContext, name: string): Promise<JobTwin> {
  await db.run(sql`delete from jobs`);
  const key = await createWithdrawal(db, clock, { keys: [] }, { label: name });
  return { name, key, id: jobId({ key }), words: { [name]: 'NAME', [jobId({ key })]: 'ID' } };
}

const pause: Example<JobTwin> = {
  prepare: job,
  page: ({ id }) => [`/operator/jobs/${id}`, { act: 'pause' }],
  command: ({ id }) => ['job', 'pause', '--job', id],
};

const resume: Example<JobTwin> = {
  prepare: async (context, name) => {
    const twin = await job(context, name);
    await pauseJob(context.db, twin.key);
    return twin;
  },
  page: ({ id }) => [`/operator/jobs/${id}`, { act: 'resume' }],
  command: ({ id }) => ['job', 'resume', '--job', id],
};

export const JOB_EXAMPLES = { 'job.resume': resume, 'job.pause': pause };

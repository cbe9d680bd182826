import type { SourceDefect } from './source-defect.ts'

/** Defects of waits over HTTP. None hides another, so both are planted in the same processes. */
export const waitDefects: SourceDefect = {
  name: 'a wait ends with a job that lives again, and shows payloads whole',
  edits: [
    {
      module: 'apps/api/src/operations/reads/wait-if-preferred.ts',
      find: 'while (hasEnded && found !== undefined',
      replace: 'while (false && found !== undefined',
    },
    {
      module: 'apps/api/src/operations/enqueue/create-job.ts',
      find: 'json: encodeJob(job, await viewOf(context, services)),',
      replace: "json: encodeJob(job, { payloads: 'whole', workers: true }),",
    },
  ],
}

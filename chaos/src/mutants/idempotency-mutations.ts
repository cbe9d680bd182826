import { enqueueJobsName } from './function-texts.ts'
import type { Mutation } from './mutation.ts'

/** Defects of idempotency keys that the attack on them must detect. */
export const idempotencyMutations = {
  freesKeysEarly: {
    name: 'retention removes a receipt with its job',
    edits: [
      {
        within: 'doomed AS MATERIALIZED ( SELECT j.id, j.tenant_id, j.kind, j.unique_key',
        find: 'AS keeps_key',
        replace: 'AND false AS keeps_key',
      },
    ],
    detectedBy: 'wrong answer',
  },
  answersKnownAsNew: {
    name: 'a known key is answered like the repeat of its own request',
    edits: [
      {
        within: enqueueJobsName,
        find: "CASE WHEN found_job.id = q.id THEN 'own' ELSE 'known' END",
        replace: "'own'",
      },
    ],
    detectedBy: 'wrong answer',
  },
  ignoresMismatches: {
    name: 'a key is answered with a job of another body without a word',
    edits: [
      {
        within: enqueueJobsName,
        find: "is_same := found_job.idempotency_fingerprint IS NOT DISTINCT FROM decode(q.idempotency_fingerprint, 'hex')",
        replace: 'is_same := true',
      },
    ],
    detectedBy: 'wrong answer',
  },
} as const satisfies Record<string, Mutation>

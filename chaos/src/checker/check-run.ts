import { findBrokenInvariants, type TestDatabase } from '@queue/testing'
import { type ClientOutcome, readClientOutcomes } from '../record/history.ts'
import { readJobHistories } from '../record/read-job-histories.ts'
import { checkJobHistory } from './check-job-history.ts'
import { addEvidence, noEvidence, type Evidence, evidenceOf } from './evidence.ts'
import type { Fault } from './job-history.ts'

export interface CheckedRun {
  readonly jobs: number
  readonly acknowledged: number
  readonly evidence: Evidence
  readonly faults: readonly Fault[]
  /** Descriptions of broken invariants of the final tables, with some of the rows. */
  readonly brokenInvariants: readonly string[]
}

/**
 * Checks a finished run: every job of the database against its client's history, the effects and the audit, and the
 * invariants of all rows.
 */
export async function checkRun(database: TestDatabase, historyPath: string): Promise<CheckedRun> {
  const outcomes = await readClientOutcomes(historyPath)
  const firstJobByKey = new Map<string, string>()
  const faults: Fault[] = []
  let evidence = noEvidence
  let jobs = 0
  for await (const jobHistory of readJobHistories(database, outcomes)) {
    jobs += 1
    faults.push(...checkJobHistory(jobHistory), ...duplicates(jobHistory.id, jobHistory.key, firstJobByKey))
    evidence = addEvidence(evidence, evidenceOf(jobHistory))
  }
  faults.push(...lost(outcomes, firstJobByKey))
  return {
    jobs,
    acknowledged: [...outcomes.values()].filter(({ enqueue }) => enqueue === 'ok').length,
    evidence,
    faults,
    brokenInvariants: await findBrokenInvariants(database),
  }
}

/** Each key must have one job. Adds the job to the map if it is the first of its key. */
function duplicates(id: string, key: string | null, firstJobByKey: Map<string, string>): Fault[] {
  if (key === null) return []
  const first = firstJobByKey.get(key)
  if (first === undefined) {
    firstJobByKey.set(key, id)
    return []
  }
  return [{ kind: 'duplicated job', job: id, detail: `key ${key} also has job ${first}` }]
}

function lost(
  outcomes: ReadonlyMap<string, ClientOutcome>,
  firstJobByKey: ReadonlyMap<string, string>,
): Fault[] {
  return [...outcomes.values()]
    .filter(({ enqueue, key }) => enqueue === 'ok' && !firstJobByKey.has(key))
    .map(({ key, id }) => ({
      kind: 'lost',
      job: id ?? key,
      detail: `key ${key} was acknowledged, but has no job`,
    }))
}

/** The faults as lines of text: the first few of each kind, and the number of the others. */
export function describeFaults(run: CheckedRun, shownPerKind = 5): string[] {
  const byKind = Map.groupBy(run.faults, ({ kind }) => kind)
  const lines = [...byKind].flatMap(([kind, faults]) => [
    ...faults.slice(0, shownPerKind).map(({ job, detail }) => `${kind}: job ${job}: ${detail}`),
    ...(faults.length > shownPerKind ? [`${kind}: and ${faults.length - shownPerKind} more`] : []),
  ])
  return [...lines, ...run.brokenInvariants]
}

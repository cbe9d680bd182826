import { findBrokenInvariants, type TestDatabase } from '@queue/testing'
import { type Fate, readFates } from '../record/history.ts'
import { readJobHistories } from '../record/read-job-histories.ts'
import { checkJobHistory } from './check-job-history.ts'
import { addSigns, noSigns, type Signs, signsOf } from './signs.ts'
import type { Fault } from './job-history.ts'

export interface CheckedRun {
  readonly jobs: number
  readonly acknowledged: number
  readonly signs: Signs
  readonly faults: readonly Fault[]
  /** Broken invariants of the final tables, as the integration tests check them, with some of the rows. */
  readonly brokenInvariants: readonly string[]
}

/**
 * Checks a run that is over: every job of the database against its client's history, the effects, the audit, and the
 * invariants that hold for every row.
 */
export async function checkRun(database: TestDatabase, historyPath: string): Promise<CheckedRun> {
  const fates = await readFates(historyPath)
  const seen = new Map<string, string>()
  const faults: Fault[] = []
  let signs = noSigns
  let jobs = 0
  for await (const jobHistory of readJobHistories(database, fates)) {
    jobs += 1
    faults.push(...checkJobHistory(jobHistory), ...duplicates(jobHistory.id, jobHistory.key, seen))
    signs = addSigns(signs, signsOf(jobHistory))
  }
  faults.push(...lost(fates, seen))
  return {
    jobs,
    acknowledged: [...fates.values()].filter(({ enqueue }) => enqueue === 'ok').length,
    signs,
    faults,
    brokenInvariants: await findBrokenInvariants(database),
  }
}

/** One key makes one job; `seen` holds the first job of each key. */
function duplicates(id: string, key: string | null, seen: Map<string, string>): Fault[] {
  if (key === null) return []
  const first = seen.get(key)
  if (first === undefined) {
    seen.set(key, id)
    return []
  }
  return [{ kind: 'duplicated job', job: id, detail: `key ${key} has job ${first} too` }]
}

function lost(fates: ReadonlyMap<string, Fate>, seen: ReadonlyMap<string, string>): Fault[] {
  return [...fates.values()]
    .filter(({ enqueue, key }) => enqueue === 'ok' && !seen.has(key))
    .map(({ key, id }) => ({
      kind: 'lost',
      job: id ?? key,
      detail: `key ${key} was acknowledged and has no job`,
    }))
}

/** The faults as lines, the first of each kind, with the number of those that are not shown. */
export function describeFaults(run: CheckedRun, shownPerKind = 5): string[] {
  const byKind = Map.groupBy(run.faults, ({ kind }) => kind)
  const lines = [...byKind].flatMap(([kind, found]) => [
    ...found.slice(0, shownPerKind).map(({ job, detail }) => `${kind}: job ${job}: ${detail}`),
    ...(found.length > shownPerKind ? [`${kind}: and ${found.length - shownPerKind} more`] : []),
  ])
  return [...lines, ...run.brokenInvariants]
}

import type { RowChange } from '../record/row-changes.ts'

/** The time in which one job has an idempotency key, by the transactions that began and ended it. */
export interface Tenure {
  readonly jobId: string
  /** The key with its tenant. */
  readonly key: string
  /** What the fingerprint of the key is made of. */
  readonly body: string
  /** The client's own name of the request that has made the job. */
  readonly request: string
  readonly madeBy: number
  strippedBy?: number
  removedBy?: number
}

/** How long retention keeps jobs and their keys, in milliseconds. */
export interface KeyRetention {
  readonly jobMs: number
  readonly keyMs: number
}

/** The sessions that may remove jobs, by the names of their acts. */
export const pruneAct = 'prune'
export const deleteAct = 'delete'

/**
 * The tenures of each job, in their order. A job has several where it was removed while its request had no answer yet: the
 * queue repeats a request whose reply was lost with the same id.
 */
export type TenuresByJob = ReadonlyMap<string, readonly Tenure[]>

export interface Tenures {
  readonly byJob: TenuresByJob
  readonly faults: readonly string[]
}

/**
 * Follows each key through the changes of jobs. A job gets its key once no other has it, keeps it when it is stripped, and
 * loses it to a deletion, or to retention once the time of the key is over.
 */
export function followKeys(changes: readonly RowChange[], retention: KeyRetention): Tenures {
  const byJob = new Map<string, Tenure[]>()
  const present = new Map<string, Tenure>()
  const faults: string[] = []
  for (const change of changes) {
    const { id, xid, before, after } = change
    if (before === null && after !== null) {
      const tenure = tenureOf(change)
      const holder = present.get(tenure.key)
      if (holder !== undefined) faults.push(`jobs ${holder.jobId} and ${id} have the key ${tenure.key}`)
      byJob.set(id, [...(byJob.get(id) ?? []), tenure])
      present.set(tenure.key, tenure)
      continue
    }
    const tenure = byJob.get(id)?.at(-1)
    if (tenure === undefined || before === null) continue
    const isGone = after === null
    if (isGone || isStrip(change)) {
      const fault = endFault(change, retention)
      if (fault !== undefined) faults.push(`${fault} job ${id} of the key ${tenure.key}`)
    }
    if (isGone) {
      tenure.removedBy = xid
      present.delete(tenure.key)
    } else if (isStrip(change)) tenure.strippedBy = xid
    else if (keyOf(change.after) !== tenure.key) faults.push(`job ${id} has lost the key ${tenure.key}`)
  }
  return { byJob, faults }
}

function tenureOf({ id, xid, after }: RowChange): Tenure {
  const { payload, metadata, queue } = after as unknown as {
    readonly payload: { readonly key: string }
    readonly metadata: { readonly request: string }
    readonly queue: string
  }
  return {
    jobId: id,
    key: keyOf(after),
    body: bodyOf(queue, payload.key),
    request: metadata.request,
    madeBy: xid,
  }
}

/** The parts of a request that its fingerprint is made of and that differ between requests. */
export function bodyOf(queue: string, payloadKey: string): string {
  return `${queue}/${payloadKey}`
}

export function keyName(tenant: string | null, key: string): string {
  return `${tenant ?? ''}/${key}`
}

function keyOf(row: RowChange['after']): string {
  return keyName((row?.['tenant_id'] ?? null) as string | null, String(row?.idempotency_key))
}

function isStrip({ before, after }: RowChange): boolean {
  return before?.['stripped_at'] === null && after?.['stripped_at'] !== null
}

/** What is wrong with the removal or the strip of a job; undefined if nothing is. */
function endFault({ act, at, before, after }: RowChange, retention: KeyRetention): string | undefined {
  if (act === deleteAct && after === null) return undefined
  const endedMs = Date.parse(String(before?.finished_at))
  const keptMs = after === null ? retention.keyMs : retention.jobMs
  const verb = after === null ? 'removed' : 'stripped'
  if (act !== pruneAct) return `${act} has ${verb}`
  return endedMs + keptMs <= at.getTime() ? undefined : `retention has ${verb} before its time`
}

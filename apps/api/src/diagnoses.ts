import { diagnoseOn, type Diagnosis } from '@queue/admin'
import type { ConnectedDatabase } from '@queue/core/internal'
import { toQueueError } from '@queue/postgres'
import { diagnosisCheckMsMax, diagnosisKeptMs } from './http/limits.ts'

/** The doctor findings, with the time when the checks began. */
export interface DatedDiagnosis extends Diagnosis {
  readonly checkedAtMs: number
}

/** Runs the doctor checks with the privileges of this process. Throws `database_unavailable`. */
export type Diagnose = () => Promise<DatedDiagnosis>

interface DiagnoseOptions {
  readonly database: Pick<ConnectedDatabase, 'pool' | 'schema'>
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

/**
 * Runs the doctor checks on a connection of the pool. Callers share the findings for `diagnosisKeptMs`, so that any number of
 * viewers costs one diagnosis every ten seconds and at most one connection.
 */
export function createDiagnose({ database: { pool, schema }, nowMs }: DiagnoseOptions): Diagnose {
  let current: { readonly checkedAtMs: number; readonly diagnosis: Promise<DatedDiagnosis> } | undefined
  const runChecks = async (checkedAtMs: number): Promise<DatedDiagnosis> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw toQueueError(error)
    })
    try {
      const diagnosis = await diagnoseOn(
        { client, schema },
        { poolMax: pool.options.max, clientNowMs: nowMs, checkMsMax: diagnosisCheckMsMax },
      )
      client.release()
      return { ...diagnosis, checkedAtMs }
    } catch (error) {
      client.release(true)
      throw toQueueError(error)
    }
  }
  return () => {
    const checkedAtMs = nowMs()
    if (current !== undefined && checkedAtMs - current.checkedAtMs < diagnosisKeptMs) return current.diagnosis
    const diagnosis = runChecks(checkedAtMs)
    const entry = { checkedAtMs, diagnosis }
    current = entry
    // The next caller retries a failed diagnosis.
    diagnosis.catch(() => {
      if (current === entry) current = undefined
    })
    return diagnosis
  }
}

import { diagnoseOn, type Diagnosis } from '@queue/admin'
import type { ConnectedDatabase } from '@queue/core'
import { toQueueError } from '@queue/postgres'
import { diagnosisCheckMsMax, diagnosisKeptMs } from './http/limits.ts'

/** What doctor has found, and when it began to look. */
export interface DatedDiagnosis extends Diagnosis {
  readonly checkedAtMs: number
}

/** What doctor finds, as the role of this process may read it. Throws `database_unavailable`. */
export type Diagnose = () => Promise<DatedDiagnosis>

interface DiagnoseOptions {
  readonly database: Pick<ConnectedDatabase, 'pool' | 'schema'>
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

/**
 * Doctor on a connection of the pool, for all who ask: its findings are kept for `diagnosisKeptMs`, and whoever asks meanwhile is
 * given the same. So a page that many look at costs one diagnosis every ten seconds, and at most one connection.
 */
export function createDiagnose({ database: { pool, schema }, nowMs }: DiagnoseOptions): Diagnose {
  let kept: { readonly checkedAtMs: number; readonly diagnosis: Promise<DatedDiagnosis> } | undefined
  const look = async (checkedAtMs: number): Promise<DatedDiagnosis> => {
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
    if (kept !== undefined && checkedAtMs - kept.checkedAtMs < diagnosisKeptMs) return kept.diagnosis
    const diagnosis = look(checkedAtMs)
    const entry = { checkedAtMs, diagnosis }
    kept = entry
    // What failed is tried again by the next who asks.
    diagnosis.catch(() => {
      if (kept === entry) kept = undefined
    })
    return diagnosis
  }
}

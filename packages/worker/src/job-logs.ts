import { type LogWrite, type QueueDatabase, writeLogs } from '@queue/core/internal'
import type { Logger } from '@queue/loop'
import { createGroupCommit } from '@queue/postgres'
import type { Attempt } from './attempt.ts'
import { AttemptLog } from './attempt-log.ts'
import type { UnwrittenBytes } from './unwritten-bytes.ts'

/** Stores the log lines of the handlers in this process; one statement takes the lines of several attempts. */
export interface JobLogs {
  /** The log of an attempt, created at its first line. */
  of(attempt: Attempt): AttemptLog
}

export interface JobLogsOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  /** Aborted when nothing may wait for the database any longer. */
  readonly giveUp: AbortSignal
  readonly wallMs: () => number
  readonly unwritten: UnwrittenBytes
  /** Called with the number of lines that are lost: beyond the bounds of their attempt or of the process, or not stored. */
  readonly onDropped: (lines: number) => void
}

/** Attempts whose lines share a statement: each brings 256 KiB at most. */
const groupMax = 20

export function createJobLogs(options: JobLogsOptions): JobLogs {
  const { database, logger, giveUp, wallMs, unwritten, onDropped } = options
  const groups = createGroupCommit<LogWrite, void>({
    apply: async (writes) => {
      await writeLogs(database, writes)
      return writes.map(() => undefined)
    },
    groupMax,
    onOutage: (error) => logger.warn('log lines of jobs could not be stored; trying again', { error }),
    giveUp,
  })
  const write = async (lines: LogWrite): Promise<void> => {
    try {
      await groups.add(lines)
    } catch (error) {
      const { jobId: job_id } = lines.lease
      const fields = { job_id, attempt: lines.attempt, lines: lines.lines.length, error }
      logger.warn('log lines of a job could not be stored, and are lost', fields)
      onDropped(lines.lines.length)
    }
  }
  return {
    of: (attempt) => {
      const { lease, attempt: number } = attempt.job
      attempt.log ??= new AttemptLog({
        lease,
        attempt: number,
        shown: (value) => attempt.shown(value),
        write,
        wallMs,
        unwritten,
        onDropped,
      })
      return attempt.log
    },
  }
}

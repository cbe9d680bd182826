// The reasons why a job does not start, computed from its facts without side effects.
import type { ClaimFacts } from './claim-facts.ts'
import { limitReasons } from './limit-reasons.ts'
import { instant, type Reason, reasonCodes, type ReasonDetails, type ReasonsByCode } from './reason.ts'

/** The reasons that keep every claim from taking the job now, and those that only make it wait longer. */
export function reasonsOf(facts: ClaimFacts): Reason[] {
  const byCode = facts.is_waiting
    ? waitingReasons(facts)
    : { ...endedReason(facts), ...runningReasons(facts) }
  return reasonCodes.flatMap((code) =>
    [byCode[code] ?? []].flat().map((content) => {
      const details = { ...noDetails, ...content.details }
      return { code, blocking: true, since: null, until: null, ...content, details }
    }),
  )
}

const noDetails: ReasonDetails = {
  queue: null,
  kind: null,
  version: null,
  workers: null,
  slots: null,
  jobs: null,
  scope: null,
  heldBy: null,
  limit: null,
  runs: null,
  elsewhere: null,
}

function endedReason({ status, finished_at: finishedAt, cancel_reason: reason }: ClaimFacts): ReasonsByCode {
  const since = instant(finishedAt)
  if (status === 'succeeded') {
    return { succeeded: { message: 'The job succeeded.', ends: 'nothing: the job has ended', since } }
  }
  if (status === 'failed_permanent') {
    return {
      failed: { message: 'The job failed permanently and is a dead letter.', ends: 'requeue the job', since },
    }
  }
  if (status !== 'cancelled') return {}
  const content =
    reason === 'expired'
      ? {
          message: 'The job was cancelled because it had not started by its expiry.',
          ends: 'requeue the job with a later expiry',
        }
      : { message: 'The job was cancelled.', ends: 'requeue the job' }
  return { cancelled: { ...content, since } }
}

function runningReasons({
  status,
  locked_at: lockedAt,
  is_held: isHeld,
  cancel_requested: isCancelRequested,
}: ClaimFacts): ReasonsByCode {
  if (status !== 'running') return {}
  return {
    running: {
      message: 'The job is running.',
      ends: 'wait for its attempt to end',
      since: instant(lockedAt),
    },
    ...(isCancelRequested && {
      cancel_requested: {
        message: 'A cancel was requested, and the handler has not stopped yet.',
        ends: 'wait for the attempt to end; a handler that ignores its signal keeps running',
      },
    }),
    ...(!isHeld && {
      owner_lost: {
        message: 'The worker that runs the job is gone.',
        ends: 'wait for the next recovery by a worker, which retries the job or dead-letters it',
      },
    }),
  }
}

function waitingReasons(facts: ClaimFacts): ReasonsByCode {
  return { ...ownReasons(facts), ...queueReasons(facts), ...limitReasons(facts), ...workerReasons(facts) }
}

function ownReasons(facts: ClaimFacts): ReasonsByCode {
  return {
    ...(!facts.is_writable && {
      database_read_only: {
        message: 'The database does not accept writes, so no job can be claimed.',
        ends: 'connect to a primary that accepts writes',
      },
    }),
    ...(!facts.has_attempts && {
      attempts_spent: {
        message: `All ${facts.max_attempts} attempts of the job are used up.`,
        ends: 'edit the job to allow more attempts, or cancel and requeue it',
      },
    }),
    ...(!facts.is_in_time && {
      expired: {
        message: 'The job has not started by its expiry. The next recovery by a worker cancels it.',
        ends: 'enqueue the job again, or requeue it with a new expiry once it is cancelled',
        since: instant(facts.expires_at),
      },
    }),
    ...(!facts.is_due && {
      not_due: {
        message:
          facts.status === 'retrying' ? 'The job waits for its next attempt.' : 'The job is not due yet.',
        ends: 'wait for its start, or run it now',
        until: instant(facts.run_at),
      },
    }),
    ...(facts.is_unfit && {
      schema_refused: {
        blocking: false,
        message: `The last worker that took the job put it off: the payload does not fit the schema that this worker has for version ${facts.version} of the kind ${facts.kind}, and whose registration was refused.`,
        ends: 'start a worker with the registered schema, or with the new one as another version that upgrades this one',
        details: { queue: facts.queue, kind: facts.kind, version: facts.version },
      },
    }),
  }
}

function queueReasons({
  queue,
  is_registered: isRegistered,
  is_open: isOpen,
  paused_at: pausedAt,
}: ClaimFacts): ReasonsByCode {
  return {
    ...(!isRegistered && {
      queue_unknown: {
        message: `No worker has ever served the queue ${queue}.`,
        ends: 'start a worker that serves this queue, which registers it',
        details: { queue },
      },
    }),
    ...(isRegistered &&
      !isOpen && {
        queue_paused: {
          message: `The queue ${queue} is paused.`,
          ends: 'resume the queue',
          since: instant(pausedAt),
          details: { queue },
        },
      }),
  }
}

/** If any worker can run the job, only reasons about those workers count. So at most one of the first three reasons holds. */
function workerReasons(facts: ClaimFacts): ReasonsByCode {
  if (facts.able > 0) return ableReasons(facts)
  const { queue, kind, version, serving, versions, elsewhere } = facts
  const elsewhereDetails = elsewhere === null || elsewhere.length === 0 ? {} : { elsewhere }
  const ends = 'start a worker for this queue with a handler for this version of the kind'
  if (serving === 0) {
    return {
      no_worker: {
        message: `No live worker serves the queue ${queue}.`,
        ends: 'start a worker that serves this queue',
        since: instant(facts.heard_at),
        details: { queue, ...elsewhereDetails },
      },
    }
  }
  if (facts.of_kind === 0) {
    return {
      kind_unserved: {
        message: `None of the ${serving} live workers of the queue ${queue} runs the kind ${kind}.`,
        ends,
        details: { queue, kind, workers: serving, ...elsewhereDetails },
      },
    }
  }
  return {
    version_unserved: {
      message: `None of the ${serving} live workers of the queue ${queue} runs version ${version} of the kind ${kind}: they run ${versions.join(', ')}.`,
      ends,
      details: { queue, kind, version, workers: serving, runs: versions, ...elsewhereDetails },
    },
  }
}

function ableReasons({ able, slots, held, free, calm, is_steady: isSteady }: ClaimFacts): ReasonsByCode {
  const details = { workers: able, slots, jobs: held }
  return {
    ...(!isSteady &&
      calm === 0 && {
        crash_suspect_waits: {
          message:
            'The job has crashed a worker before. A worker runs one such job at a time, and every worker that can run it is running one now.',
          ends: 'wait for one of those jobs to end',
          details,
        },
      }),
    ...(free === 0 && {
      slots_full: {
        blocking: false,
        message: `All slots of the ${able} live workers that can run the job are in use.`,
        ends: 'wait for one of their jobs to end, or add workers or slots',
        details,
      },
    }),
  }
}

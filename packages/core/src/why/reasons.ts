// From what a claim goes by to why it does not take a job: pure.
import type { ClaimFacts } from './claim-facts.ts'
import { limitReasons } from './limit-reasons.ts'
import { type Found, instant, type Reason, reasonCodes, type ReasonDetails } from './reason.ts'

/** The reasons why no claim takes the job now, and those that only let it wait for longer. */
export function reasonsOf(facts: ClaimFacts): Reason[] {
  const found = facts.is_waiting ? waitingReasons(facts) : { ...endedReason(facts), ...runningReasons(facts) }
  return reasonCodes.flatMap((code) =>
    [found[code] ?? []].flat().map((said) => {
      const details = { ...aboutNothing, ...said.details }
      return { code, blocking: true, since: null, until: null, ...said, details }
    }),
  )
}

const aboutNothing: ReasonDetails = {
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

const over = { ends: 'nothing: the job is over' } as const

function endedReason({ status, finished_at: finishedAt, cancel_reason: reason }: ClaimFacts): Found {
  const since = instant(finishedAt)
  if (status === 'succeeded') return { succeeded: { ...over, message: 'It has succeeded.', since } }
  if (status === 'failed_permanent') {
    return { failed: { message: 'It has failed for good: it is a dead letter.', ends: 'requeue it', since } }
  }
  if (status !== 'cancelled') return {}
  const message =
    reason === 'expired' ? 'It had not begun by its expiry, and was cancelled.' : 'It was cancelled.'
  return { cancelled: { message, ends: 'requeue it', since } }
}

function runningReasons({
  status,
  locked_at: lockedAt,
  is_held: isHeld,
  cancel_requested: isToEnd,
}: ClaimFacts): Found {
  if (status !== 'running') return {}
  return {
    running: { message: 'It runs.', ends: 'the end of its attempt', since: instant(lockedAt) },
    ...(isToEnd && {
      cancel_requested: {
        message: 'It is to be cancelled, and its handler has not stopped yet.',
        ends: 'the end of its attempt: a handler that ignores its signal runs on',
      },
    }),
    ...(!isHeld && {
      owner_lost: {
        message: 'The worker that runs it is not there any more.',
        ends: 'the next recovery by any worker, after which it is retried or fails for good',
      },
    }),
  }
}

function waitingReasons(facts: ClaimFacts): Found {
  return { ...ownReasons(facts), ...queueReasons(facts), ...limitReasons(facts), ...workerReasons(facts) }
}

function ownReasons(facts: ClaimFacts): Found {
  return {
    ...(!facts.is_writable && {
      database_read_only: {
        message: 'The database takes no writes, so that nothing can be claimed.',
        ends: 'a primary that takes writes',
      },
    }),
    ...(!facts.has_attempts && {
      attempts_spent: {
        message: `All of its ${facts.max_attempts} attempts are used up.`,
        ends: 'an edit that allows more, or a cancel and a requeue',
      },
    }),
    ...(!facts.is_in_time && {
      expired: {
        message: 'It has not begun by its expiry, and is cancelled by the next sweep of a worker.',
        ends: 'nothing: enqueue it anew, or requeue it with a new expiry once it is cancelled',
        since: instant(facts.expires_at),
      },
    }),
    ...(!facts.is_due && {
      not_due: {
        message: facts.status === 'retrying' ? 'It waits before it is tried again.' : 'It is not due yet.',
        ends: 'its time, or run it now',
        until: instant(facts.run_at),
      },
    }),
  }
}

function queueReasons({
  queue,
  is_registered: isRegistered,
  is_open: isOpen,
  paused_at: pausedAt,
}: ClaimFacts): Found {
  return {
    ...(!isRegistered && {
      queue_unknown: {
        message: `No worker has ever served the queue ${queue}.`,
        ends: 'a worker that serves the queue: it enters it',
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

/** Of several workers the one that can run it counts, so that at most one of the first three holds. */
function workerReasons(facts: ClaimFacts): Found {
  if (facts.able > 0) return ableReasons(facts)
  const { queue, kind, version, serving, versions, elsewhere } = facts
  const others = elsewhere === null || elsewhere.length === 0 ? {} : { elsewhere }
  const ends = 'a worker of the queue with a handler for the kind and its version'
  if (serving === 0) {
    return {
      no_worker: {
        message: `No live worker serves the queue ${queue}.`,
        ends: 'a worker that serves the queue',
        since: instant(facts.heard_at),
        details: { queue, ...others },
      },
    }
  }
  if (facts.of_kind === 0) {
    return {
      kind_unserved: {
        message: `None of the ${serving} live workers of the queue ${queue} runs the kind ${kind}.`,
        ends,
        details: { queue, kind, workers: serving, ...others },
      },
    }
  }
  return {
    version_unserved: {
      message: `None of the ${serving} live workers of the queue ${queue} runs version ${version} of the kind ${kind}: they run ${versions.join(', ')}.`,
      ends,
      details: { queue, kind, version, workers: serving, runs: versions, ...others },
    },
  }
}

function ableReasons({ able, slots, held, free, calm, is_steady: isSteady }: ClaimFacts): Found {
  const details = { workers: able, slots, jobs: held }
  return {
    ...(!isSteady &&
      calm === 0 && {
        crash_suspect_waits: {
          message:
            'It has crashed a worker before. A worker runs one such job at a time, and each that can run it runs one now.',
          ends: 'the end of one of those jobs',
          details,
        },
      }),
    ...(free === 0 && {
      slots_full: {
        blocking: false,
        message: `All slots of the ${able} live workers that can run it are taken.`,
        ends: 'the end of a job that they run, or more workers or slots',
        details,
      },
    }),
  }
}

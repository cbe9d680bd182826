import { isTerminal, type JobStatus } from '@queue/core'
import { plannedEnds, transactedPlans } from '../fleet/chaos-job.ts'
import { transitionFaults } from './check-transitions.ts'
import type { AuditEntry, Fault, FaultKind, JobState, JobHistory } from './job-history.ts'

/**
 * Checks the history of one job, from what its client, its handlers, the audit and the queue have recorded. Pure. The run must
 * be over: all workers have stopped, and every job had time to end.
 */
export function checkJobHistory(jobHistory: JobHistory): Fault[] {
  const checks: readonly [FaultKind, (jobHistory: JobHistory) => string[]][] = [
    ['unexpected', unexpected],
    ['lost', lostCancel],
    ['illegal transition', illegalTransitions],
    ['duplicated finish', duplicatedFinishes],
    ['non-terminal', nonTerminal],
    ['unplanned end', unplannedEnd],
    ['foreign finish', foreignFinishes],
    ['unrecorded attempt', unrecordedAttempts],
    ['stolen from a live worker', stolen],
    ['effect not exactly once', transactedEffects],
  ]
  return checks.flatMap(([kind, check]) =>
    check(jobHistory).map((detail) => ({ kind, job: jobHistory.id, detail })),
  )
}

function unexpected({ key, clientOutcome, id }: JobHistory): string[] {
  if (clientOutcome === undefined) return [`no client enqueued it (key ${key ?? 'none'})`]
  if (clientOutcome.enqueue === 'fail') return [`its enqueue was refused (key ${clientOutcome.key})`]
  if (clientOutcome.id !== undefined && clientOutcome.id !== id)
    return [`key ${clientOutcome.key} was answered with job ${clientOutcome.id}`]
  return []
}

/** A cancel that was answered with `cancelled` must not be undone. */
function lostCancel({ clientOutcome, last }: JobHistory): string[] {
  return clientOutcome?.cancelled === true && last.status !== 'cancelled'
    ? [`it was cancelled, but is now ${last.status}`]
    : []
}

function illegalTransitions({ audit, last }: JobHistory): string[] {
  const gaps = audit.flatMap((entry, index) => {
    const before = audit[index - 1]?.to ?? null
    return isSame(before, entry.from) ? [] : [`the audit has a gap before entry ${index}`]
  })
  const end = isSame(audit.at(-1)?.to ?? null, last)
    ? []
    : ['the last state in the audit is not the state of the job']
  return [...audit.flatMap(transitionFaults), ...gaps, ...end]
}

function isSame(a: JobState | null, b: JobState | null): boolean {
  if (a === null || b === null) return a === b
  return a.status === b.status && a.token === b.token && a.attempts === b.attempts && a.crashes === b.crashes
}

/** A job ends once, and once more after each requeue. */
function duplicatedFinishes({ audit, executions }: JobHistory): string[] {
  const ends = audit.filter(({ to }) => to !== null && isTerminal(to.status)).length
  const requeues = audit.filter(
    ({ from, to }) => from !== null && isTerminal(from.status) && to !== null,
  ).length
  const successes = executions.filter(({ outcome }) => outcome === 'succeeded').length
  return [
    ...(ends > requeues + 1 ? [`it has ended ${ends} times with ${requeues} requeues`] : []),
    ...(successes > 1 ? [`it has succeeded ${successes} times`] : []),
  ]
}

function nonTerminal({ last }: JobHistory): string[] {
  return isTerminal(last.status) ? [] : [`it is ${last.status} after ${last.attempts} attempts`]
}

/** A job ends as its plan says, unless it was cancelled or crashes have used up its attempts. */
function unplannedEnd({ plan, last, maxAttempts, cancelRequested }: JobHistory): string[] {
  const planned: readonly JobStatus[] = plannedEnds[plan]
  if (!isTerminal(last.status) || planned.includes(last.status)) return []
  if (cancelRequested && last.status === 'cancelled') return []
  const crashed = last.status === 'failed_permanent' && last.attempts >= maxAttempts && last.crashes > 0
  return crashed ? [] : [`a job with the plan ${plan} is ${last.status} after ${last.attempts} attempts`]
}

/** The lease token that the suite's handlers name in their error; their result names it too. */
const errorTokenPattern = /^(?:Error: )?lease (\d+) fails as planned/

/** An attempt is recorded with the end of its own handler, not with that of another attempt. */
function foreignFinishes({ executions, effects, result, last }: JobHistory): string[] {
  const ended = new Set(effects.filter(({ phase }) => phase !== 'begun').map(({ token }) => token))
  return [
    ...executions
      .filter(({ outcome, token }) => outcome === 'succeeded' && !ended.has(token))
      .map(({ token }) => `lease ${token} is recorded as succeeded, but its handler has not ended`),
    ...executions.flatMap(({ outcome, error, token }) => {
      const namedToken = outcome === 'failed' ? errorTokenPattern.exec(error ?? '')?.[1] : undefined
      return namedToken === undefined || Number(namedToken) === token
        ? []
        : [`lease ${token} has the error of ${namedToken}`]
    }),
    ...resultFaults(result, last),
  ]
}

function resultFaults(result: unknown, last: JobState): string[] {
  if (typeof result !== 'object' || result === null || !('token' in result)) return []
  return result.token === last.token ? [] : [`lease ${last.token} has the result of ${String(result.token)}`]
}

/** Each end of an attempt is in the history of the job, charged as it should be. A returned job that never started is not. */
function unrecordedAttempts({ audit, executions }: JobHistory): string[] {
  const recorded = new Map(executions.map((execution) => [execution.token, execution.outcome]))
  const ends = audit.flatMap((entry) => (entry.from?.status === 'running' && entry.to ? [endOf(entry)] : []))
  const endedTokens = new Set(ends.map(({ token }) => token))
  return [
    ...ends.flatMap((end) => chargeFaults(end, recorded.get(end.token))),
    ...executions
      .filter(({ token }) => !endedTokens.has(token))
      .map(
        ({ token, outcome }) =>
          `lease ${token} is recorded as ${outcome}, but the job was never released from it`,
      ),
  ]
}

interface AttemptEnd {
  readonly token: number
  readonly charged: boolean
  readonly crashed: boolean
  readonly to: string
}

function endOf({ from, to }: AuditEntry): AttemptEnd {
  if (from === null || to === null) throw new Error('an end must have a state before and a state after')
  return {
    token: from.token,
    charged: to.attempts === from.attempts,
    crashed: to.crashes > from.crashes,
    to: to.status,
  }
}

function chargeFaults({ token, charged, crashed, to }: AttemptEnd, outcome: string | undefined): string[] {
  if (outcome === undefined) return charged ? [`lease ${token} was charged, but is not in the history`] : []
  const free = outcome === 'snoozed' || outcome === 'released'
  const isCorrect = to === 'cancelled' ? outcome === 'cancelled' : charged === !free
  return [
    ...(isCorrect
      ? []
      : [`lease ${token} ended ${outcome} and ${to}, ${charged ? 'charged' : 'not charged'}`]),
    ...(outcome === 'lost' && !crashed ? [`lease ${token} was lost, but no crash was counted`] : []),
  ]
}

/** A recovery may only take jobs of a worker that is lost, stopped or unknown. */
function stolen({ audit }: JobHistory): string[] {
  return audit
    .filter(({ workerState }) => workerState === 'active')
    .map(({ from }) => `lease ${from?.token ?? 0} was taken from a worker whose own lease was valid`)
}

/**
 * The writes of an attempt's own transaction exist exactly once if that attempt succeeded, and not otherwise. An attempt of a
 * plan with such writes cannot succeed without them.
 */
function transactedEffects({ plan, effects, executions }: JobHistory): string[] {
  const succeeded = new Set(
    executions.filter(({ outcome }) => outcome === 'succeeded').map(({ token }) => token),
  )
  const transacted = effects.filter(({ phase }) => phase === 'transacted')
  return [
    ...transacted
      .filter(({ token }) => !succeeded.has(token))
      .map(({ token }) => `lease ${token} did not succeed, but its writes were committed`),
    ...[...succeeded]
      .filter((token) => transactedPlans.has(plan) && !transacted.some((effect) => effect.token === token))
      .map((token) => `lease ${token} succeeded without its writes`),
    ...(plan === 'transact_late' ? transacted.map(({ token }) => `lease ${token} wrote after its end`) : []),
    ...(transacted.length > 1 ? [`its transaction was committed ${transacted.length} times`] : []),
  ]
}

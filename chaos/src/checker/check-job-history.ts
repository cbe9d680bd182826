import { isTerminal, type JobStatus } from '@queue/core'
import { plannedEnds, transactedPlans } from '../fleet/chaos-job.ts'
import { transitionFaults } from './check-transitions.ts'
import type { AuditEntry, Fault, FaultKind, JobState, JobHistory } from './job-history.ts'

/**
 * What is wrong with the history of one job, by its client, its handlers, the audit and the queue together. Pure. The
 * run must be over: all workers have stopped, and everything was given the time to end.
 */
export function checkJobHistory(jobHistory: JobHistory): Fault[] {
  const laws: readonly [FaultKind, (jobHistory: JobHistory) => string[]][] = [
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
  return laws.flatMap(([kind, law]) =>
    law(jobHistory).map((detail) => ({ kind, job: jobHistory.id, detail })),
  )
}

function unexpected({ key, fate, id }: JobHistory): string[] {
  if (fate === undefined) return [`no client asked for it (key ${key ?? 'none'})`]
  if (fate.enqueue === 'fail') return [`its enqueue was refused (key ${fate.key})`]
  if (fate.id !== undefined && fate.id !== id) return [`key ${fate.key} was answered with job ${fate.id}`]
  return []
}

/** A cancel that was answered with `cancelled` is an end. */
function lostCancel({ fate, last }: JobHistory): string[] {
  return fate?.cancelled === true && last.status !== 'cancelled' ? [`cancelled, and now ${last.status}`] : []
}

function illegalTransitions({ audit, last }: JobHistory): string[] {
  const gaps = audit.flatMap((entry, index) => {
    const before = audit[index - 1]?.to ?? null
    return isSame(before, entry.from) ? [] : [`the audit has a gap before entry ${index}`]
  })
  const end = isSame(audit.at(-1)?.to ?? null, last) ? [] : ['the audit ends elsewhere than the job']
  return [...audit.flatMap(transitionFaults), ...gaps, ...end]
}

function isSame(a: JobState | null, b: JobState | null): boolean {
  if (a === null || b === null) return a === b
  return a.status === b.status && a.token === b.token && a.attempts === b.attempts && a.crashes === b.crashes
}

/** A new life begins with a requeue; each has one end. */
function duplicatedFinishes({ audit, executions }: JobHistory): string[] {
  const ends = audit.filter(({ to }) => to !== null && isTerminal(to.status)).length
  const requeues = audit.filter(
    ({ from, to }) => from !== null && isTerminal(from.status) && to !== null,
  ).length
  const successes = executions.filter(({ outcome }) => outcome === 'succeeded').length
  return [
    ...(ends > requeues + 1 ? [`it has ended ${ends} times in ${requeues + 1} lives`] : []),
    ...(successes > 1 ? [`it has succeeded ${successes} times`] : []),
  ]
}

function nonTerminal({ last }: JobHistory): string[] {
  return isTerminal(last.status) ? [] : [`it is ${last.status} after ${last.attempts} attempts`]
}

/** A job ends as its handler was told to end it, unless it was cancelled or crashes have used its attempts up. */
function unplannedEnd({ plan, last, maxAttempts, cancelRequested }: JobHistory): string[] {
  const planned: readonly JobStatus[] = plannedEnds[plan]
  if (!isTerminal(last.status) || planned.includes(last.status)) return []
  if (cancelRequested && last.status === 'cancelled') return []
  const crashed = last.status === 'failed_permanent' && last.attempts >= maxAttempts && last.crashes > 0
  return crashed ? [] : [`a job that should ${plan} is ${last.status} after ${last.attempts} attempts`]
}

/** What the suite's handlers say of the lease under which they ran: in their result, and in their error. */
const spokenToken = /^(?:Error: )?lease (\d+) fails as planned/

/** An attempt is recorded with the end that its own handler came to, and with no other's. */
function foreignFinishes({ executions, effects, result, last }: JobHistory): string[] {
  const ended = new Set(effects.filter(({ phase }) => phase !== 'begun').map(({ token }) => token))
  return [
    ...executions
      .filter(({ outcome, token }) => outcome === 'succeeded' && !ended.has(token))
      .map(({ token }) => `lease ${token} is recorded as succeeded, and its handler has not come to an end`),
    ...executions.flatMap(({ outcome, error, token }) => {
      const spoken = outcome === 'failed' ? spokenToken.exec(error ?? '')?.[1] : undefined
      return spoken === undefined || Number(spoken) === token
        ? []
        : [`lease ${token} has the error of ${spoken}`]
    }),
    ...resultFaults(result, last),
  ]
}

function resultFaults(result: unknown, last: JobState): string[] {
  if (typeof result !== 'object' || result === null || !('token' in result)) return []
  return result.token === last.token ? [] : [`lease ${last.token} has the result of ${String(result.token)}`]
}

/** Each end of an attempt is in the history of the job, with what it was charged; one that never began is in neither. */
function unrecordedAttempts({ audit, executions }: JobHistory): string[] {
  const recorded = new Map(executions.map((execution) => [execution.token, execution.outcome]))
  const ends = audit.flatMap((entry) => (entry.from?.status === 'running' && entry.to ? [endOf(entry)] : []))
  const endedTokens = new Set(ends.map(({ token }) => token))
  return [
    ...ends.flatMap((end) => chargeFaults(end, recorded.get(end.token))),
    ...executions
      .filter(({ token }) => !endedTokens.has(token))
      .map(({ token, outcome }) => `lease ${token} is recorded as ${outcome}, and the job never left it`),
  ]
}

interface AttemptEnd {
  readonly token: number
  readonly charged: boolean
  readonly crashed: boolean
  readonly to: string
}

function endOf({ from, to }: AuditEntry): AttemptEnd {
  if (from === null || to === null) throw new Error('an end has a state before and a state after')
  return {
    token: from.token,
    charged: to.attempts === from.attempts,
    crashed: to.crashes > from.crashes,
    to: to.status,
  }
}

function chargeFaults({ token, charged, crashed, to }: AttemptEnd, outcome: string | undefined): string[] {
  if (outcome === undefined) return charged ? [`lease ${token} was charged and is not in the history`] : []
  const free = outcome === 'snoozed' || outcome === 'released'
  const isRight = to === 'cancelled' ? outcome === 'cancelled' : charged === !free
  return [
    ...(isRight ? [] : [`lease ${token} ended ${outcome} and ${to}, ${charged ? 'charged' : 'not charged'}`]),
    ...(outcome === 'lost' && !crashed ? [`lease ${token} was lost and no crash was counted`] : []),
  ]
}

/** A recovery may take the jobs of a worker that is lost, stopped or unknown. */
function stolen({ audit }: JobHistory): string[] {
  return audit
    .filter(({ workerState }) => workerState === 'active')
    .map(({ from }) => `lease ${from?.token ?? 0} was taken from a worker whose own lease held`)
}

/**
 * What was written in the job's own transaction is there once where that attempt succeeded, and else not at all. A plan
 * that writes in one has not succeeded without it.
 */
function transactedEffects({ plan, effects, executions }: JobHistory): string[] {
  const succeeded = new Set(
    executions.filter(({ outcome }) => outcome === 'succeeded').map(({ token }) => token),
  )
  const transacted = effects.filter(({ phase }) => phase === 'transacted')
  return [
    ...transacted
      .filter(({ token }) => !succeeded.has(token))
      .map(({ token }) => `lease ${token} left its writes behind`),
    ...[...succeeded]
      .filter((token) => transactedPlans.has(plan) && !transacted.some((effect) => effect.token === token))
      .map((token) => `lease ${token} has succeeded without its writes`),
    ...(plan === 'transact_late'
      ? transacted.map(({ token }) => `lease ${token} has written after its end`)
      : []),
    ...(transacted.length > 1 ? [`its transaction was committed ${transacted.length} times`] : []),
  ]
}

import type { NavigateOptions } from '@tanstack/react-router'

/** What the labels of an alert say beside its name. */
export interface AlertSearch {
  readonly queue?: string
  readonly kind?: string
}

export type AlertTarget = Pick<NavigateOptions, 'to' | 'params' | 'search'>

type Answer = (about: AlertSearch) => AlertTarget

const aboutQueue: Answer = ({ queue }) =>
  queue === undefined ? { to: '/queues' } : { to: '/queues/$name', params: { name: queue } }
const aboutErrors: Answer = ({ queue, kind }) => ({
  to: '/errors',
  search: { ...(queue !== undefined && { queue }), ...(kind !== undefined && { kind }), range: '1h' },
})
const aboutLetters: Answer = ({ kind }) => ({
  to: '/dead-letters',
  search: kind === undefined ? {} : { kind },
})
const aboutWaiting: Answer = ({ queue, kind }) => ({
  to: '/jobs',
  search: { ...(queue !== undefined && { queue }), ...(kind !== undefined && { kind }), status: 'queued' },
})
const to =
  (page: '/' | '/workers' | '/schedules' | '/limits' | '/system'): Answer =>
  () => ({ to: page })

/** The page that answers each alert about the queue, as infra/prometheus names them. */
const answers: Readonly<Record<string, Answer>> = {
  QueueBacklogOld: aboutQueue,
  QueueUnserved: aboutQueue,
  QueuePausedForLong: aboutQueue,
  QueueKindUnserved: aboutWaiting,
  QueueJobsFailing: aboutErrors,
  QueueDeadLetters: aboutLetters,
  QueueDeadLettersKept: aboutLetters,
  QueueWorkersLost: to('/workers'),
  QueueStaleWrites: to('/workers'),
  QueueEndsRefused: to('/workers'),
  QueueHandlersStuck: to('/workers'),
  QueueEventLoopBlocked: to('/workers'),
  QueueLimitsRepaired: to('/limits'),
  QueueSchedulesLate: to('/schedules'),
  QueueOldSnapshot: to('/system'),
  QueuePoolExhausted: to('/system'),
  QueueClaimsFailing: to('/system'),
  QueueListenerDeaf: to('/system'),
}

/** Where an alert leads; one that is not known here, to what needs somebody now. */
export function targetOfAlert(alert: string, about: AlertSearch): AlertTarget {
  const answer = Object.hasOwn(answers, alert) ? answers[alert] : undefined
  return answer === undefined ? { to: '/' } : answer(about)
}

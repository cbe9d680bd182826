import type { LinkProps } from '@tanstack/react-router'

/** The labels of an alert that select the page. */
interface AlertLabels {
  readonly queue?: string
  readonly kind?: string
}

/** The page with its filter to which an alert links. */
type Landing = Pick<LinkProps, 'to' | 'params' | 'search'>

type LandingOf = (labels: AlertLabels) => Landing

const toQueue: LandingOf = ({ queue }) =>
  queue === undefined ? { to: '/queues' } : { to: '/queues/$name', params: { name: queue } }
const toWorkers: LandingOf = () => ({ to: '/workers' })
const toWorkersOfQueue: LandingOf = ({ queue }) =>
  queue === undefined
    ? { to: '/workers' }
    : { to: '/queues/$name', params: { name: queue }, search: { tab: 'workers' } }
const toSystem: LandingOf = () => ({ to: '/system' })
/**
 * Every alert of infra/prometheus/rules, by its name. Null if no page shows its cause: an outbox is in the database of its
 * application, which the API does not know.
 */
const landings = {
  QueueBacklogOld: toQueue,
  QueueUnserved: toWorkersOfQueue,
  QueueKindUnserved: (labels) => ({ to: '/jobs', search: { ...labels, status: 'queued' } }),
  QueuePausedForLong: toQueue,
  QueueJobsFailing: ({ kind }) => ({
    to: '/errors',
    search: { ...(kind !== undefined && { kind }), sort: 'count' },
  }),
  QueueDeadLetters: (labels) => ({ to: '/dead-letters', search: { ...labels } }),
  QueueDeadLettersKept: (labels) => ({ to: '/dead-letters', search: { ...labels } }),
  QueueWorkersLost: toWorkers,
  QueueStaleWrites: toWorkers,
  QueueEndsRefused: toWorkers,
  QueueLimitsRepaired: () => ({ to: '/limits' }),
  QueueSchedulesLate: () => ({ to: '/schedules' }),
  QueueZoneDataMixed: toWorkers,
  QueueHandlersStuck: () => ({ to: '/jobs', search: { status: 'running' } }),
  QueueEventLoopBlocked: toWorkers,
  QueueListenerDeaf: toWorkers,
  QueueClaimsFailing: toWorkers,
  QueueClaimsSlow: toWorkers,
  QueueDatabaseUnreachable: toSystem,
  QueueOldSnapshot: toSystem,
  QueuePoolExhausted: toSystem,
  QueueApiAbsent: toSystem,
  QueueApiErrors: toSystem,
  QueueApiSlow: toSystem,
  OutboxTargetUnavailable: toSystem,
  OutboxBacklogOld: null,
  OutboxUnreachable: null,
  OutboxDispatchesFailing: null,
  OutboxDeadLetters: null,
  OutboxListenerDeaf: null,
} satisfies Readonly<Record<string, LandingOf | null>>

/** The page of an alert; null if it has none, undefined if the alert is unknown. */
export function landingOf(alert: string, labels: AlertLabels): Landing | null | undefined {
  if (!Object.hasOwn(landings, alert)) return undefined
  return landings[alert as keyof typeof landings]?.(labels) ?? null
}

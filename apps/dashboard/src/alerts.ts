import type { LinkProps } from '@tanstack/react-router'

/** What an alert says of itself, beside its name. */
interface AlertAbout {
  readonly queue?: string
  readonly kind?: string
}

/** Where an alert leads: the page, with its filter, that answers it. */
type Landing = Pick<LinkProps, 'to' | 'params' | 'search'>

type LandingOf = (about: AlertAbout) => Landing

const toQueue: LandingOf = ({ queue }) =>
  queue === undefined ? { to: '/queues' } : { to: '/queues/$name', params: { name: queue } }
const toWorkers: LandingOf = () => ({ to: '/workers' })
const toItsWorkers: LandingOf = ({ queue }) =>
  queue === undefined
    ? { to: '/workers' }
    : { to: '/queues/$name', params: { name: queue }, search: { tab: 'workers' } }
const toSystem: LandingOf = () => ({ to: '/system' })
/**
 * Every alert of infra/prometheus/rules, by its name. Null where no page answers it: an outbox is in the database of its application,
 * of which the API knows nothing.
 */
const landings = {
  QueueBacklogOld: toQueue,
  QueueUnserved: toItsWorkers,
  QueueKindUnserved: (about) => ({ to: '/jobs', search: { ...about, status: 'queued' } }),
  QueuePausedForLong: toQueue,
  QueueJobsFailing: ({ kind }) => ({
    to: '/errors',
    search: { ...(kind !== undefined && { kind }), sort: 'count' },
  }),
  QueueDeadLetters: (about) => ({ to: '/dead-letters', search: { ...about } }),
  QueueDeadLettersKept: (about) => ({ to: '/dead-letters', search: { ...about } }),
  QueueWorkersLost: toWorkers,
  QueueStaleWrites: toWorkers,
  QueueEndsRefused: toWorkers,
  QueueLimitsRepaired: () => ({ to: '/limits' }),
  QueueSchedulesLate: () => ({ to: '/schedules' }),
  QueueHandlersStuck: () => ({ to: '/jobs', search: { status: 'running' } }),
  QueueEventLoopBlocked: toWorkers,
  QueueListenerDeaf: toWorkers,
  QueueClaimsFailing: toWorkers,
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

/** Where the alert of this name leads; null: nowhere; undefined: it is not one of ours. */
export function landingOf(alert: string, about: AlertAbout): Landing | null | undefined {
  if (!Object.hasOwn(landings, alert)) return undefined
  return landings[alert as keyof typeof landings]?.(about) ?? null
}

import type { Attention, Schedule } from '@queue/client'
import { Link, type LinkProps } from '@tanstack/react-router'
import {
  CircleCheck,
  CirclePause,
  Database,
  Hourglass,
  type LucideIcon,
  Mailbox,
  OctagonX,
  ServerOff,
} from 'lucide-react'
import { useActs } from '../../acts/acts.tsx'
import { resumeQueue } from '../../acts/queue-acts.ts'
import { useAttention } from '../../api/attention.ts'
import { serverInstant } from '../../shell/clock.ts'
import { useMay } from '../../shell/me.tsx'
import { Button } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { plural } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import styles from './overview.module.css'

/** The conditions that need attention, the most severe first. Hidden without `ops:read`. */
export function AttentionList() {
  const may = useMay()
  const { items, stopped, query } = useAttention()
  if (!may('ops:read')) return null
  return (
    <Loaded query={query} rows={2}>
      {() =>
        items.length + stopped.length === 0 ? (
          <NoAttention readAtMs={query.dataUpdatedAt} />
        ) : (
          <Conditions items={items} stopped={stopped} />
        )
      }
    </Loaded>
  )
}

/** The conditions of one queue. Hidden if there are none. */
export function QueueAttention({ name }: { readonly name: string }) {
  const { items } = useAttention()
  const ofQueue = items.filter(({ queue }) => queue === name)
  return ofQueue.length === 0 ? null : <Conditions items={ofQueue} stopped={[]} />
}

interface ConditionsProps {
  readonly items: readonly Attention[]
  readonly stopped: readonly Schedule[]
}

function Conditions({ items, stopped }: ConditionsProps) {
  return (
    <section className={styles['attention']} aria-label="Needs attention">
      <h2>
        Needs attention <span className={ui['muted']}>{items.length + stopped.length}</span>
      </h2>
      <ul>
        {stopped.map((schedule) => (
          <StoppedSchedule key={schedule.name} schedule={schedule} />
        ))}
        {items.map((item) => (
          <AttentionItem key={`${item.condition} ${item.queue} ${item.kind}`} item={item} />
        ))}
      </ul>
    </section>
  )
}

function NoAttention({ readAtMs }: { readonly readAtMs: number }) {
  return (
    <p className={styles['calm']}>
      <CircleCheck size={16} aria-hidden />
      Nothing needs attention. Checked <Time at={serverInstant(readAtMs)} />.
    </p>
  )
}

type Condition = Attention['condition']

interface Look {
  readonly icon: LucideIcon
  /** The link text, unless the condition is about a queue or a kind, which is linked instead. */
  readonly name: string
  readonly text: (item: Attention) => string
  readonly link: (item: Attention) => Pick<LinkProps, 'to' | 'params' | 'search'>
}

const countOf = ({ count, count_is_capped: isCapped }: Attention, noun: string): string =>
  `${plural(count, noun)}${isCapped ? ' or more' : ''}`
const toQueue: Look['link'] = ({ queue }) => ({ to: '/queues/$name', params: { name: queue ?? '' } })
const toErrors: Look['link'] = ({ kind }) => ({ to: '/errors', search: kind === null ? {} : { kind } })
const toDeadLetters: Look['link'] = ({ kind }) => ({
  to: '/dead-letters',
  search: kind === null ? {} : { kind },
})

const looks: Readonly<Record<Condition, Look>> = {
  queue_unserved: {
    icon: OctagonX,
    name: 'Queue',
    text: (item) => `no worker serves this queue, ${countOf(item, 'job')} due`,
    link: ({ queue }) => ({
      to: '/queues/$name',
      params: { name: queue ?? '' },
      search: { tab: 'workers' },
    }),
  },
  queue_backlog_old: {
    icon: Hourglass,
    name: 'Queue',
    text: (item) => `falling behind, ${countOf(item, 'job')} due`,
    link: toQueue,
  },
  queue_paused_for_long: {
    icon: CirclePause,
    name: 'Queue',
    text: (item) => `paused, ${countOf(item, 'job')} due`,
    link: toQueue,
  },
  kind_unserved: {
    icon: OctagonX,
    name: 'Kind',
    text: (item) => `no worker of queue ${item.queue ?? ''} runs this kind, ${countOf(item, 'job')} due`,
    link: ({ queue, kind }) => ({ to: '/jobs', search: { kind: kind ?? '', queue: queue ?? '' } }),
  },
  jobs_failing: {
    icon: OctagonX,
    name: 'Jobs',
    text: (item) => `${countOf(item, 'attempt')} failed in the last 15 minutes, more than 25 %`,
    link: toErrors,
  },
  dead_letters: {
    icon: Mailbox,
    name: 'Dead letters',
    text: (item) => `${countOf(item, 'job')} failed permanently in the last 15 minutes`,
    link: toDeadLetters,
  },
  dead_letters_kept: {
    icon: Mailbox,
    name: 'Dead letters',
    text: (item) => `${countOf(item, 'dead letter')} older than a day`,
    link: toDeadLetters,
  },
  workers_lost: {
    icon: ServerOff,
    name: 'Workers',
    text: (item) => `${countOf(item, 'worker')} lost in the last 15 minutes`,
    link: () => ({ to: '/workers' }),
  },
  schedules_late: {
    icon: Hourglass,
    name: 'Schedules',
    text: (item) => `${countOf(item, 'schedule')} at least a minute late`,
    link: () => ({ to: '/schedules' }),
  },
  schedules_stopped: {
    icon: OctagonX,
    name: 'Schedules',
    text: (item) => `${countOf(item, 'schedule')} paused after an error`,
    link: () => ({ to: '/schedules' }),
  },
  old_snapshot: {
    icon: Database,
    name: 'Database',
    text: () => 'a transaction has been open for more than 30 minutes',
    link: () => ({ to: '/system' }),
  },
  database_read_only: {
    icon: Database,
    name: 'Database',
    text: () => 'read-only: it does not accept writes',
    link: () => ({ to: '/system' }),
  },
}

/** During a deployment, a newer API can report a condition that this page does not know. */
function lookOf({ condition }: Attention): Look {
  const known: Look | undefined = looks[condition]
  return known ?? { icon: OctagonX, name: condition, text: () => '', link: () => ({ to: '/queues' }) }
}

function AttentionItem({ item }: { readonly item: Attention }) {
  const { perform } = useActs()
  const may = useMay()
  const { condition, severity, queue, kind, since, ends } = item
  const { icon: Icon, name, text, link } = lookOf(item)
  const canResume = condition === 'queue_paused_for_long' && queue !== null && may('queues:control')
  return (
    <li data-severity={severity} data-row>
      <Icon size={16} aria-hidden />
      <Link {...link(item)}>{kind ?? queue ?? name}</Link>
      <span>
        {text(item)}
        {since !== null && (
          <>
            {' · '}
            <Time at={since} />
          </>
        )}
      </span>
      <span className={styles['ends']}>Fix: {ends}</span>
      {canResume && <Button onClick={() => void perform(resumeQueue(queue))}>Resume</Button>}
    </li>
  )
}

function StoppedSchedule({ schedule: { name, paused_reason: reason } }: { readonly schedule: Schedule }) {
  return (
    <li data-severity="critical" data-row>
      <OctagonX size={16} aria-hidden />
      <Link to="/schedules/$name" params={{ name }}>
        {name}
      </Link>
      <span>paused after an error: {reason}</span>
    </li>
  )
}

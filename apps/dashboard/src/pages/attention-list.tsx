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
import type { Attention, Schedule } from '@queue/client'
import { useActs } from '../acts/acts.tsx'
import { resumeQueue } from '../acts/queue-acts.ts'
import { useAttention } from '../api/attention.ts'
import { serverInstant } from '../shell/clock.ts'
import { useMay } from '../shell/me.tsx'
import { Button } from '../ui/controls.tsx'
import { Loaded } from '../ui/feedback.tsx'
import { plural } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import styles from './overview.module.css'

/** What needs somebody, the worst first. Absent for those who may not know. */
export function AttentionList() {
  const may = useMay()
  const { items, stopped, query } = useAttention()
  if (!may('ops:read')) return null
  return (
    <Loaded query={query} rows={2}>
      {() =>
        items.length + stopped.length === 0 ? (
          <Calm readAtMs={query.dataUpdatedAt} />
        ) : (
          <Found items={items} stopped={stopped} />
        )
      }
    </Loaded>
  )
}

/** The same of one queue, and nothing where nothing of it needs anybody. */
export function QueueAttention({ name }: { readonly name: string }) {
  const { items } = useAttention()
  const found = items.filter(({ queue }) => queue === name)
  return found.length === 0 ? null : <Found items={found} stopped={[]} />
}

interface FoundProps {
  readonly items: readonly Attention[]
  readonly stopped: readonly Schedule[]
}

function Found({ items, stopped }: FoundProps) {
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

function Calm({ readAtMs }: { readonly readAtMs: number }) {
  return (
    <p className={styles['calm']}>
      <CircleCheck size={16} aria-hidden />
      Nothing needs you. Checked <Time at={serverInstant(readAtMs)} />.
    </p>
  )
}

type Condition = Attention['condition']

interface Look {
  readonly icon: LucideIcon
  /** What it is about, as the link says it; the queue or the kind where it is about one. */
  readonly name: string
  readonly text: (item: Attention) => string
  readonly link: (item: Attention) => Pick<LinkProps, 'to' | 'params' | 'search'>
}

const many = ({ count, count_is_capped: isCapped }: Attention, noun: string): string =>
  `${plural(count, noun)}${isCapped ? ' or more' : ''}`
const toQueue: Look['link'] = ({ queue }) => ({ to: '/queues/$name', params: { name: queue ?? '' } })
const toErrors: Look['link'] = ({ kind }) => ({ to: '/errors', search: kind === null ? {} : { kind } })
const toLetters: Look['link'] = ({ kind }) => ({ to: '/dead-letters', search: kind === null ? {} : { kind } })

const looks: Readonly<Record<Condition, Look>> = {
  queue_unserved: {
    icon: OctagonX,
    name: 'A queue',
    text: (item) => `no worker serves it, ${many(item, 'job')} due`,
    link: ({ queue }) => ({
      to: '/queues/$name',
      params: { name: queue ?? '' },
      search: { tab: 'workers' },
    }),
  },
  queue_backlog_old: {
    icon: Hourglass,
    name: 'A queue',
    text: (item) => `falls behind, ${many(item, 'job')} due`,
    link: toQueue,
  },
  queue_paused_for_long: {
    icon: CirclePause,
    name: 'A queue',
    text: (item) => `is paused, ${many(item, 'job')} due`,
    link: toQueue,
  },
  kind_unserved: {
    icon: OctagonX,
    name: 'A kind',
    text: (item) => `no worker of the queue ${item.queue ?? ''} runs it, ${many(item, 'job')} due`,
    link: ({ queue, kind }) => ({ to: '/jobs', search: { kind: kind ?? '', queue: queue ?? '' } }),
  },
  jobs_failing: {
    icon: OctagonX,
    name: 'Jobs',
    text: (item) => `${many(item, 'attempt')} failed in 15 minutes, more than a quarter`,
    link: toErrors,
  },
  dead_letters: {
    icon: Mailbox,
    name: 'Dead letters',
    text: (item) => `${many(item, 'job')} failed for good in 15 minutes`,
    link: toLetters,
  },
  dead_letters_kept: {
    icon: Mailbox,
    name: 'Dead letters',
    text: (item) => `${many(item, 'dead letter')} older than a day`,
    link: toLetters,
  },
  workers_lost: {
    icon: ServerOff,
    name: 'Workers',
    text: (item) => `${many(item, 'worker')} lost in 15 minutes`,
    link: () => ({ to: '/workers' }),
  },
  schedules_late: {
    icon: Hourglass,
    name: 'Schedules',
    text: (item) => `${many(item, 'schedule')} late by a minute or more`,
    link: () => ({ to: '/schedules' }),
  },
  schedules_stopped: {
    icon: OctagonX,
    name: 'Schedules',
    text: (item) => `${many(item, 'schedule')} stopped by themselves`,
    link: () => ({ to: '/schedules' }),
  },
  old_snapshot: {
    icon: Database,
    name: 'Database',
    text: () => 'a transaction is open for more than half an hour',
    link: () => ({ to: '/system' }),
  },
  database_read_only: {
    icon: Database,
    name: 'Database',
    text: () => 'it takes no writes',
    link: () => ({ to: '/system' }),
  },
}

/** Before version skew of a deploy is over, a newer API may name a condition that this page does not know. */
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
      <span className={styles['ends']}>ends by: {ends}</span>
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
      <span>has stopped itself: {reason}</span>
    </li>
  )
}

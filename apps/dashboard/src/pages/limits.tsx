import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CirclePause, Plus } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import type { Limit } from '@queue/client'
import { useActs } from '../acts/acts.tsx'
import { aboutLimit, canPause, deleteLimitAct, pauseLimit, rateWords, turnWords } from '../acts/limit-acts.ts'
import { queries } from '../api/queries.ts'
import { limitsRoute } from '../routes.ts'
import { Needs, useMay } from '../shell/me.tsx'
import { Button, Page } from '../ui/controls.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { formatCount } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { LimitForm } from './limit-form.tsx'
import workers from './workers.module.css'

export function Limits(): ReactElement {
  return (
    <Needs permission="ops:read">
      <LimitsPage />
    </Needs>
  )
}

/** A limit that is edited, or `new` for one that there is not yet. */
type Edited = Limit | 'new' | undefined

function LimitsPage() {
  const { queue } = limitsRoute.useSearch()
  const may = useMay()
  const query = useQuery(queries.limits(queue))
  const [edited, edit] = useState<Edited>()
  const set = may('limits:write') && (
    <Button look="primary" onClick={() => edit('new')}>
      <Plus size={14} aria-hidden />
      Set a limit
    </Button>
  )
  return (
    <Page title="Limits" subtitle={queue === undefined ? 'of every queue' : `of ${queue}`} actions={set}>
      {queue !== undefined && <Link to="/limits">Limits of every queue</Link>}
      <Loaded query={query}>
        {(limits) => (limits.length === 0 ? <NoLimits /> : <LimitTable limits={limits} edit={edit} />)}
      </Loaded>
      {edited !== undefined && (
        <LimitForm
          about={queue === undefined ? {} : { queue }}
          limit={edited === 'new' ? undefined : edited}
          close={() => edit(undefined)}
        />
      )}
    </Page>
  )
}

function NoLimits() {
  return (
    <Empty title="Nothing is limited">
      <span>As many jobs run at a time as workers have slots.</span>
      <code className={ui['snippet']}>
        {"await queue.limits.set({ queue: 'mail', scope: 'queue', maxRunning: 5 })"}
      </code>
    </Empty>
  )
}

interface LimitTableProps {
  readonly limits: readonly Limit[]
  readonly edit: (limit: Limit) => void
}

function LimitTable({ limits, edit }: LimitTableProps) {
  return (
    <div className={ui['card']}>
      <table className={ui['table']}>
        <thead>
          <tr>
            <th>Queue</th>
            <th>On</th>
            <th>Running at most</th>
            <th className={ui['number']}>Waiting at most</th>
            <th>Starts at most</th>
            <th>Order and turns</th>
            <th>State</th>
            <th>Set</th>
            <th className={ui['act']}>
              <span className="visually-hidden">Acts</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <LimitRow key={aboutLimit(limit)} limit={limit} edit={edit} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const scopeWords = {
  queue: 'all jobs',
  kind: 'kind',
  key: 'key',
  each_key: 'each key',
  tenant: 'tenant',
} as const

function LimitRow({ limit, edit }: Pick<LimitTableProps, 'edit'> & { readonly limit: Limit }) {
  const { queue, scope, name, rate, ordered, paused_at: pausedAt } = limit
  return (
    <tr data-row>
      <td>
        <Link to="/queues/$name" params={{ name: queue }} className={ui['strong'] ?? ''}>
          {queue}
        </Link>
      </td>
      <td>
        {scopeWords[scope]} {name !== null && <code>{name}</code>}
      </td>
      <td data-label={limit.max_running === null ? undefined : 'running'}>
        <Running limit={limit} />
      </td>
      <td className={ui['number']} data-label={limit.max_waiting === null ? undefined : 'waiting'}>
        {limit.max_waiting !== null && formatCount(limit.max_waiting)}
      </td>
      <td data-label={rate === null ? undefined : 'starts'}>{rate !== null && rateWords(rate)}</td>
      <td>
        {[
          ...(ordered === null ? [] : ['one after the other']),
          ...(ordered?.on_retry === 'continue' ? ['past retries'] : []),
          ...turnWords(limit),
        ].join(', ')}
      </td>
      <td>
        {pausedAt !== null && (
          <span className={`${ui['pill']} ${ui['retrying']}`}>
            <CirclePause size={14} aria-hidden />
            Paused&nbsp;
            <Time at={pausedAt} />
          </span>
        )}
      </td>
      <td data-label="set">
        <Time at={limit.updated_at} />
      </td>
      <td className={ui['act']}>
        <LimitActs limit={limit} edit={edit} />
      </td>
    </tr>
  )
}

/** How many run, where that is known without counting jobs. */
function Running({ limit: { queue, scope, name, max_running: max } }: { readonly limit: Limit }) {
  const { data } = useQuery(queries.queues)
  if (max === null) return null
  if (scope === 'kind') {
    return (
      <>
        {max}{' '}
        <Link to="/jobs" search={{ queue, kind: name ?? '', status: 'running' }}>
          running now
        </Link>
      </>
    )
  }
  const running = data?.find((one) => one.name === queue)?.depth.running
  if (scope !== 'queue' || running === undefined) return max
  return (
    <span className={workers['slots']}>
      <meter min={0} max={max} value={running} aria-label="Running" />
      <Link to="/jobs" search={{ queue, status: 'running' }}>
        {running} of {max}
      </Link>
    </span>
  )
}

function LimitActs({ limit, edit }: Pick<LimitTableProps, 'edit'> & { readonly limit: Limit }) {
  const may = useMay()
  const { confirm, perform } = useActs()
  if (!may('limits:write')) return null
  const about = <span className="visually-hidden"> the limit on {aboutLimit(limit)}</span>
  return (
    <>
      {canPause(limit) && (
        <Button onClick={() => void perform(pauseLimit(limit))}>
          {limit.paused_at === null ? 'Pause' : 'Resume'}
          {about}
        </Button>
      )}{' '}
      <Button onClick={() => edit(limit)}>
        Edit
        {about}
      </Button>{' '}
      <Button look="danger" onClick={() => confirm(deleteLimitAct(limit))}>
        Delete
        {about}
      </Button>
    </>
  )
}

import type { LimitInUse } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { useActs } from '../../acts/acts.tsx'
import {
  canPause,
  deleteLimitAct,
  fairnessTexts,
  limitSubject,
  pauseLimit,
  rateText,
} from '../../acts/limit-acts.ts'
import { type Shown, useExpected } from '../../api/expected.ts'
import { useMay } from '../../shell/me.tsx'
import { Button } from '../../ui/controls.tsx'
import { Empty } from '../../ui/feedback.tsx'
import { formatCount } from '../../ui/format.ts'
import { PausedPill, Unconfirmed } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import workers from '../workers/workers.module.css'

interface LimitTableProps {
  readonly limits: readonly LimitInUse[]
  readonly edit: (limit: LimitInUse) => void
  /** The queue of all limits. Then the table has no queue column. */
  readonly queue?: string
}

export function LimitTable({ limits: read, edit, queue }: LimitTableProps) {
  const limits = useExpected('limit', read)
  if (limits.length === 0) {
    return (
      <Empty title="No limits yet">
        <span>Only the slots of the workers limit how many jobs run at a time.</span>
        <code className={ui['snippet']}>
          {`await queue.limits.set({ queue: '${queue ?? 'mail'}', scope: 'queue', maxRunning: 5 })`}
        </code>
      </Empty>
    )
  }
  return (
    <table className={ui['table']}>
      <thead>
        <tr>
          {queue === undefined && <th>Queue</th>}
          <th>Applies to</th>
          <th>Max running</th>
          <th className={ui['number']}>Max waiting</th>
          <th>Rate limit</th>
          <th>Order and fairness</th>
          <th>State</th>
          <th>Updated</th>
          <th className={ui['act']}>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {limits.map((limit) => (
          <LimitRow key={limitSubject(limit)} limit={limit} edit={edit} queue={queue} />
        ))}
      </tbody>
    </table>
  )
}

const scopeWords = {
  queue: 'all jobs',
  kind: 'kind',
  key: 'key',
  each_key: 'each key',
  tenant: 'tenant',
} as const

interface LimitRowProps {
  readonly limit: Shown<LimitInUse>
  readonly edit: LimitTableProps['edit']
  readonly queue: string | undefined
}

function LimitRow({ limit, edit, queue: pageQueue }: LimitRowProps) {
  const { queue, scope, name, rate, ordered, paused_at: pausedAt } = limit
  return (
    <tr data-row>
      {pageQueue === undefined && (
        <td>
          <Link to="/queues/$name" params={{ name: queue }} className={ui['strong'] ?? ''}>
            {queue}
          </Link>
        </td>
      )}
      <td className={pageQueue === undefined ? '' : ui['strong']}>
        {scopeWords[scope]} {name !== null && <code>{name}</code>}
      </td>
      <td data-label={limit.max_running === null ? undefined : 'running'}>
        <Use limit={limit} />
      </td>
      <td className={ui['number']} data-label={limit.max_waiting === null ? undefined : 'waiting'}>
        {limit.max_waiting !== null && formatCount(limit.max_waiting)}
      </td>
      <td data-label={rate === null ? undefined : 'rate'}>{rate !== null && rateText(rate)}</td>
      <td>
        {[
          ...(ordered === null ? [] : ['in order']),
          ...(ordered?.on_retry === 'continue' ? ['retries do not block'] : []),
          ...fairnessTexts(limit),
        ].join(', ')}
      </td>
      <td>
        {pausedAt !== null && <PausedPill at={pausedAt} expected={limit.expected} />}{' '}
        <Unconfirmed row={limit} />
      </td>
      <td data-label="updated">
        <Time at={limit.updated_at} />
      </td>
      <td className={ui['act']}>
        <LimitActs limit={limit} edit={edit} />
      </td>
    </tr>
  )
}

/** The running jobs and the maximum, with a link to the jobs. For a limit on each key, a link to the keys. */
function Use({ limit: { queue, scope, name, max_running: max, running } }: { readonly limit: LimitInUse }) {
  if (max === null) return null
  if (running === null) {
    return (
      <Link to="/queues/$name" params={{ name: queue }} search={{ tab: 'keys' }}>
        {formatCount(max)} per key
      </Link>
    )
  }
  const usage = `${formatCount(running)} of ${formatCount(max)}`
  const search = { queue, status: 'running', ...(name !== null && { [scope]: name }) } as const
  return (
    <span className={workers['slots']}>
      <meter min={0} max={max} value={running} aria-label="Running" />
      <Link to="/jobs" search={search}>
        {usage}
      </Link>
    </span>
  )
}

function LimitActs({ limit, edit }: Pick<LimitRowProps, 'limit' | 'edit'>) {
  const may = useMay()
  const { confirm, perform } = useActs()
  if (!may('limits:write')) return null
  const about = <span className="visually-hidden"> the limit on {limitSubject(limit)}</span>
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

import type { QueueKey } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CirclePause, CirclePlay, Gauge, Hourglass, type LucideIcon } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { pauseKey } from '../../acts/limit-acts.ts'
import { type Shown, useExpected } from '../../api/expected.ts'
import { queries } from '../../api/queries.ts'
import { useMay } from '../../shell/me.tsx'
import { Button, Card } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { formatCount, formatSpan } from '../../ui/format.ts'
import { Unconfirmed } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import { useHeldOrder } from '../../ui/use-held-order.ts'
import workers from '../workers/workers.module.css'
import { LimitForm } from './limit-form.tsx'

/** The keys of a queue, the most waiting jobs first. Each can be paused and limited. */
export function QueueKeys({ queue }: { readonly queue: string }) {
  const query = useQuery(queries.queueKeys(queue))
  return (
    <Card title="Keys by waiting jobs" flush>
      <Loaded query={query}>
        {({ data, is_complete: isComplete }) => (
          <>
            {data.length === 0 ? <NoKeys /> : <KeyTable queue={queue} keys={data} />}
            {!isComplete && (
              <p className={`${ui['hint']} ${ui['note']}`}>
                Too many jobs are waiting to count them all. These keys come from a sample, so keys with few
                jobs can be missing.
              </p>
            )}
            {data.some(({ tenant_id: tenant }) => tenant !== null) && (
              <p className={`${ui['hint']} ${ui['note']}`}>
                If several tenants use the same key, a limit on the key applies to each tenant separately.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function NoKeys() {
  return (
    <Empty title="No waiting or running jobs with a key">
      <span>Give the jobs of one customer or account the same key to limit them together.</span>
      <code className={ui['snippet']}>
        {"await queue.enqueue(sendInvoice, { invoice_id: 'i_1' }, { key: 'customer-42' })"}
      </code>
    </Empty>
  )
}

interface KeyTableProps {
  readonly queue: string
  readonly keys: readonly QueueKey[]
}

const idOf = ({ key, tenant_id: tenant }: QueueKey): string => JSON.stringify([key, tenant])

function KeyTable({ queue, keys: read }: KeyTableProps) {
  const ofQueue = useMemo(() => read.map((key) => ({ ...key, queue })), [read, queue])
  const keys = useExpected('key', ofQueue)
  const { rows, hold } = useHeldOrder(keys, idOf)
  const [limitedKey, openLimit] = useState<string>()
  const hasTenants = keys.some(({ tenant_id: tenant }) => tenant !== null)
  return (
    <>
      <table className={ui['table']} {...hold}>
        <thead>
          <tr>
            <th>Key</th>
            {hasTenants && <th>Tenant</th>}
            <th>State</th>
            <th className={ui['number']}>Waiting</th>
            <th className={ui['number']}>Running</th>
            <th className={ui['number']}>Oldest due</th>
            <th className={ui['act']}>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <KeyRow key={idOf(row)} queue={queue} row={row} hasTenants={hasTenants} openLimit={openLimit} />
          ))}
        </tbody>
      </table>
      {limitedKey !== undefined && (
        <KeyLimit queue={queue} name={limitedKey} close={() => openLimit(undefined)} />
      )}
    </>
  )
}

interface KeyRowProps {
  readonly queue: string
  readonly row: Shown<QueueKey>
  readonly hasTenants: boolean
  readonly openLimit: (key: string) => void
}

function KeyRow({ queue, row, hasTenants, openLimit }: KeyRowProps) {
  const { key, tenant_id: tenant, running, max_running: maxRunning, oldest_ready_seconds: oldest } = row
  const isLeast = row.waiting_is_least
  return (
    <tr data-row>
      <td className={ui['strong']}>
        <Link to="/jobs" search={{ queue, key }}>
          {key}
        </Link>
      </td>
      {hasTenants && (
        <td data-label={tenant === null ? undefined : 'tenant'}>
          {tenant !== null && (
            <Link to="/jobs" search={{ queue, tenant }}>
              {tenant}
            </Link>
          )}
        </td>
      )}
      <td>
        <KeyState row={row} /> <Unconfirmed row={row} />
      </td>
      <td className={ui['number']} data-label="waiting">
        {waitingText(row)}
      </td>
      <td className={ui['number']} data-label="running">
        {maxRunning === null ? formatCount(running) : <Use running={running} maxRunning={maxRunning} />}
      </td>
      <td className={ui['number']} data-label="oldest due">
        {oldest === null ? '–' : `${isLeast ? '≥ ' : ''}${formatSpan(Math.floor(oldest) * 1_000)}`}
      </td>
      <td className={ui['act']}>
        <KeyActs {...{ queue, row, openLimit }} name={key} />
      </td>
    </tr>
  )
}

interface UseProps {
  readonly running: number
  readonly maxRunning: number
}

function Use({ running, maxRunning }: UseProps) {
  return (
    <span className={workers['slots']}>
      <meter min={0} max={maxRunning} value={running} aria-label="Running" />
      {formatCount(running)} of {formatCount(maxRunning)}
    </span>
  )
}

/** As `88`, `about 812 000`, or `1 000 or more`. */
function waitingText({ waiting, waiting_is_least: isLeast, waiting_estimate: estimate }: QueueKey): string {
  if (!isLeast) return formatCount(waiting)
  if (estimate === null) return `${formatCount(waiting)} or more`
  return `about ${formatCount(Math.max(waiting, estimate))}`
}

interface Look {
  readonly word: string
  readonly icon: LucideIcon
  readonly style: string | undefined
}

const looks: Readonly<Record<QueueKey['state'], Look>> = {
  open: { word: 'Active', icon: CirclePlay, style: ui['queued'] },
  paused: { word: 'Paused', icon: CirclePause, style: ui['retrying'] },
  full: { word: 'At limit', icon: Gauge, style: ui['running'] },
  rate_spent: { word: 'Rate limited', icon: Hourglass, style: ui['running'] },
}

function KeyState({ row }: { readonly row: Shown<QueueKey> }) {
  const { state, paused_at: pausedAt, rate_opens_at: opensAt, is_ordered: isOrdered } = row
  const { word, icon: Icon, style } = looks[state]
  // The time of a new pause is not known before the API confirms it.
  const isUnconfirmed = state === 'paused' && row.expected !== undefined
  const since = isUnconfirmed
    ? null
    : { open: null, full: null, paused: pausedAt, rate_spent: opensAt }[state]
  return (
    <>
      <span className={`${ui['pill']} ${style}`}>
        <Icon size={14} aria-hidden />
        {word}
        {since !== null && (
          <>
            {state === 'rate_spent' ? ', next start' : ''}&nbsp;
            <Time at={since} />
          </>
        )}
      </span>{' '}
      {isOrdered && <span className={ui['muted']}>in order</span>}
    </>
  )
}

function KeyActs({
  queue,
  name,
  row,
  openLimit,
}: Omit<KeyRowProps, 'hasTenants'> & { readonly name: string }) {
  const may = useMay()
  const { perform } = useActs()
  if (!may('limits:write') || !may('ops:read')) return null
  const verb = row.paused_at === null ? 'pause' : 'resume'
  return (
    <>
      <Button onClick={() => void perform(pauseKey(queue, name, verb))}>
        {verb === 'pause' ? 'Pause' : 'Resume'}
        <span className="visually-hidden"> key {name}</span>
      </Button>{' '}
      <Button onClick={() => openLimit(name)}>
        {row.has_limit ? 'Edit limit…' : 'Limit…'}
        <span className="visually-hidden"> for key {name}</span>
      </Button>
    </>
  )
}

interface KeyLimitProps {
  readonly queue: string
  readonly name: string
  readonly close: () => void
}

/** The form for the limit of a key. It opens once the current limit is loaded, because a limit is replaced as a whole. */
function KeyLimit({ queue, name, close }: KeyLimitProps) {
  const { data } = useQuery(queries.keyLimit(queue, name))
  if (data === undefined) return null
  return <LimitForm about={{ queue, scope: 'key', name }} limit={data ?? undefined} close={close} />
}

import type { ErrorGroup } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { jobsActs, requeueDeadLettersAct } from '../../acts/many-acts.ts'
import { queries } from '../../api/queries.ts'
import { rangeNames, ranges } from '../../ranges.ts'
import type { ErrorSearch, ErrorSort } from '../../search.ts'
import { nowMs } from '../../shell/clock.ts'
import { useZone } from '../../shell/live.ts'
import { useMay } from '../../shell/me.tsx'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { Button } from '../../ui/controls.tsx'
import { Empty } from '../../ui/feedback.tsx'
import { errorMessage, formatCount, formatInstant, formatShare, formatSpan } from '../../ui/format.ts'
import { SelectAll } from '../../ui/select-all.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import { useHeldOrder } from '../../ui/use-held-order.ts'
import { type Selection, useSelection } from '../../ui/use-selection.ts'
import styles from './errors.module.css'
import { type CountedRange, isOpenAfter, trendText } from './trend-text.ts'

/** The number of versions in a row, the one of the latest failure first. */
const versionsShown = 3

interface ErrorGroupsProps {
  /** The groups with their counts in the range. */
  readonly groups: readonly ErrorGroup[]
  readonly range: CountedRange
  readonly search: ErrorSearch
  /** The filters without the time range. */
  readonly filter: Pick<ErrorSearch, 'kind' | 'queue' | 'tenant'>
}

/** Error groups that can be selected for bulk actions. */
export function ErrorGroups({ groups, range, search, filter }: ErrorGroupsProps) {
  const rows = useMemo(() => groups.map((group) => ({ ...group, id: idOf(group) })), [groups])
  const selection = useSelection(rows)
  if (groups.length === 0 && search.new !== undefined) return <NoMatches />
  if (groups.length === 0) return <NoFailuresInRange filter={filter} />
  return (
    <>
      <GroupTable rows={rows} range={range} search={search} selection={selection} />
      <Bulk groups={selection.selected} clear={selection.clear} />
    </>
  )
}

/** An error group has one row for each queue and tenant in which it was seen. */
function idOf({ fingerprint, queue, tenant_id: tenant }: ErrorGroup): string {
  return `${fingerprint} ${queue} ${tenant}`
}

type Row = ErrorGroup & { readonly id: string }

function NoMatches() {
  return (
    <Empty title="No matching errors">
      <Link to="/errors">Clear filters</Link>
    </Empty>
  )
}

/** The filter for the selected groups. A common queue or tenant stays a condition, so that actions affect nothing else. */
function filterOf(groups: readonly ErrorGroup[]) {
  const fingerprint = [...new Set(groups.map((group) => group.fingerprint))]
  const [queue, ...otherQueues] = new Set(groups.map((group) => group.queue))
  const [tenant, ...otherTenants] = new Set(groups.map((group) => group.tenant_id))
  return {
    fingerprint,
    ...(queue !== undefined && otherQueues.length === 0 && { queue }),
    ...(typeof tenant === 'string' && otherTenants.length === 0 && { tenant }),
  }
}

function Bulk({ groups, clear }: { readonly groups: readonly Row[]; readonly clear: () => void }) {
  const may = useMay()
  const { confirmMany } = useActs()
  const { fingerprint, ...rest } = filterOf(groups)
  const filter = { ...rest, fingerprint }
  return (
    <BulkBar count={groups.length} clear={clear}>
      <Link to="/jobs" search={{ ...rest, fingerprint: fingerprint.join(',') }}>
        View jobs
      </Link>
      {may('dead_letters:requeue') && (
        <Button data-key="r" onClick={() => confirmMany([requeueDeadLettersAct(filter)])}>
          Requeue dead letters
        </Button>
      )}
      {may('jobs:control') && (
        <Button
          look="danger"
          data-key="c"
          onClick={() => confirmMany(jobsActs({ ...filter, status: 'retrying' }, ['cancel']))}
        >
          Cancel retrying jobs
        </Button>
      )}
    </BulkBar>
  )
}

interface GroupTableProps extends Pick<ErrorGroupsProps, 'range' | 'search'> {
  readonly rows: readonly Row[]
  readonly selection: Selection<Row>
}

function GroupTable({ rows: unheldRows, range, search: { sort = 'count' }, selection }: GroupTableProps) {
  const { rows, hold } = useHeldOrder(unheldRows, ({ id }) => id)
  const zone = useZone()
  const sortedBy = (name: ErrorSort) => ({ 'aria-sort': sort === name ? 'descending' : 'none' }) as const
  return (
    <div className={ui['card']} {...hold}>
      <table className={`${ui['table']} ${styles['groups']}`}>
        <thead>
          <tr>
            <SelectAll selection={selection} />
            <th title={`Since ${formatInstant(range.from, zone)}, one bar per ${formatSpan(range.step_ms)}`}>
              Trend
            </th>
            <th>Error</th>
            <th>Kind</th>
            <th className={ui['number']} {...sortedBy('count')}>
              Failures
            </th>
            <th className={ui['number']} title="Share of the ended attempts of this kind in this range">
              Share
            </th>
            <th {...sortedBy('first')}>First seen</th>
            <th {...sortedBy('last')}>Last seen</th>
            <th>Versions</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <GroupRow
              key={row.id}
              group={row}
              range={range}
              selected={selection.ids.has(row.id)}
              toggle={selection.toggle}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The time of the last failure, and a link to the shortest range that includes it. */
function NoFailuresInRange({ filter }: Pick<ErrorGroupsProps, 'filter'>) {
  const { data } = useQuery(queries.latestError(filter))
  const last = data?.data[0]
  if (data === undefined) return null
  if (last === undefined)
    return <NoFailures isFiltered={Object.values(filter).some((one) => one !== undefined)} />
  const ageMs = nowMs() - Date.parse(last.last_seen_at)
  const range = rangeNames.find((name) => ageMs < ranges[name].ms)
  return (
    <Empty title="No failures in this range">
      <span>
        Last: <Time at={last.last_seen_at} />
      </span>
      {range === undefined ? (
        <Link to="/errors/$fingerprint" params={{ fingerprint: last.fingerprint }}>
          View the last error
        </Link>
      ) : (
        <Link
          to="/errors"
          search={({ from: _from, to: _to, ...before }: ErrorSearch) => ({ ...before, range })}
        >
          Show {ranges[range].label}
        </Link>
      )}
    </Empty>
  )
}

function NoFailures({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <NoMatches />
  return (
    <Empty title="No failed attempts yet">
      <span>
        Failed attempts appear here grouped by error, including attempts of jobs that succeeded later.
      </span>
    </Empty>
  )
}

interface GroupRowProps extends Pick<ErrorGroupsProps, 'range'> {
  readonly group: Row
  readonly selected: boolean
  readonly toggle: (id: string) => void
}

function GroupRow({ group, range, selected, toggle }: GroupRowProps) {
  const { fingerprint, kind, queue, tenant_id: tenant, error_class: errorClass, sample_error: sample } = group
  const zone = useZone()
  const { count, share, trend } = group.in_range ?? noCounts
  return (
    <tr data-row data-selected={selected}>
      <td className={ui['check']}>
        <input
          type="checkbox"
          aria-label={`Select ${errorClass} of ${kind} in ${queue}`}
          checked={selected}
          onChange={() => toggle(group.id)}
        />
      </td>
      <td className={styles['trend']}>
        <Sparkline
          values={trend}
          isOpen={isOpenAfter(range, trend.length)}
          text={trendText(trend, { range, zone })}
        />
      </td>
      <td className={`${ui['wide']} ${styles['cause']}`}>
        <Link to="/errors/$fingerprint" params={{ fingerprint }} className={ui['strong'] ?? ''}>
          {errorClass}
        </Link>{' '}
        <span className={ui['muted']}>{errorMessage(sample)}</span>
      </td>
      <td className={styles['kind']}>
        <Link to="/errors" search={(before: ErrorSearch) => ({ ...before, kind })}>
          {kind}
        </Link>{' '}
        <span className={ui['muted']}>
          in{' '}
          <Link to="/errors" search={(before: ErrorSearch) => ({ ...before, queue })}>
            {queue}
          </Link>
          {tenant !== null && ` of ${tenant}`}
        </span>
      </td>
      <td className={`${ui['number']} ${styles['count']}`}>
        <b>{formatCount(count)}</b>
      </td>
      <td className={`${ui['number']} ${styles['share']}`}>{share === null ? '–' : formatShare(share)}</td>
      <td className={styles['first']} data-label="first">
        <Time at={group.first_seen_at} />
        {group.first_version !== null && <span className={ui['muted']}> in {group.first_version}</span>}
      </td>
      <td data-label="last">
        <Time at={group.last_seen_at} />
      </td>
      <td className={`${ui['mono']} ${styles['versions']}`}>{versionsOf(group)}</td>
    </tr>
  )
}

/** The latest versions, and the number of others. */
function versionsOf({ worker_versions: versions }: ErrorGroup): string {
  const further = versions.length - versionsShown
  return [...versions.slice(0, versionsShown), ...(further > 0 ? [`+${further}`] : [])].join(' ')
}

const noCounts = { count: 0, share: null, trend: [] } as const

import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { ErrorGroup } from '@queue/client'
import { useActs } from '../acts/acts.tsx'
import { jobsActs, requeueLettersAct } from '../acts/many-acts.ts'
import { rangeNames, ranges } from '../numbers-range.ts'
import type { ErrorSearch } from '../search.ts'
import { useMay } from '../shell/me.tsx'
import { BulkBar } from '../ui/bulk-bar.tsx'
import { Button } from '../ui/controls.tsx'
import { Empty } from '../ui/feedback.tsx'
import { errorMessage, formatCount } from '../ui/format.ts'
import { SelectAll } from '../ui/select-all.tsx'
import { Time } from '../ui/time.tsx'
import { type Selection, useSelection } from '../ui/use-selection.ts'
import ui from '../ui/ui.module.css'
import styles from './errors.module.css'

/** Versions that a row names, the one of the latest failure first. */
const versionsShown = 3

interface ErrorGroupsProps {
  readonly groups: readonly ErrorGroup[]
  readonly search: ErrorSearch
  /** The one that was seen last, at whatever time. */
  readonly last: ErrorGroup | undefined
}

/** Groups of failures, of which several can be chosen and acted on together. */
export function ErrorGroups({ groups, last, search }: ErrorGroupsProps) {
  const rows = useMemo(() => groups.map((group) => ({ ...group, id: idOf(group) })), [groups])
  const selection = useSelection(rows)
  if (groups.length === 0 && last !== undefined) return <NoneInRange last={last} />
  if (groups.length === 0) return <None isFiltered={Object.keys(search).length > 0} />
  return (
    <>
      <GroupTable rows={rows} search={search} selection={selection} />
      <Bulk groups={selection.selected} clear={selection.clear} />
    </>
  )
}

/** A cause is one row in each queue, and of each tenant, in which it was seen. */
function idOf({ fingerprint, queue, tenant_id: tenant }: ErrorGroup): string {
  return `${fingerprint} ${queue} ${tenant}`
}

type Row = ErrorGroup & { readonly id: string }

function None({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty title={isFiltered ? 'No cause matches' : 'No attempt has failed'}>
      {isFiltered ? (
        <Link to="/errors">Clear filters</Link>
      ) : (
        <span>Failures are kept here by their causes, also those of jobs that have succeeded since.</span>
      )}
    </Empty>
  )
}

/** What the causes have in common stays a condition, so that the acts reach no further than what was chosen. */
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
        Jobs
      </Link>
      {may('dead_letters:requeue') && (
        <Button data-key="r" onClick={() => confirmMany([requeueLettersAct(filter)])}>
          Requeue dead letters
        </Button>
      )}
      {may('jobs:control') && (
        <Button
          look="danger"
          data-key="c"
          onClick={() => confirmMany(jobsActs({ ...filter, status: 'retrying' }, ['cancel']))}
        >
          Cancel what is tried again
        </Button>
      )}
    </BulkBar>
  )
}

interface GroupTableProps extends Pick<ErrorGroupsProps, 'search'> {
  readonly rows: readonly Row[]
  readonly selection: Selection<Row>
}

function GroupTable({ rows, search, selection }: GroupTableProps) {
  const most = Math.max(...rows.map(({ count }) => count))
  const { sort, ...others } = search
  return (
    <div className={ui['card']}>
      <table className={ui['table']}>
        <thead>
          <tr>
            <SelectAll selection={selection} />
            <th>Cause</th>
            <th>Kind</th>
            <th>Queue</th>
            <th aria-sort={sort === 'count' ? 'descending' : 'none'}>
              <Link to="/errors" search={{ ...others, sort: 'count' }} data-current={sort === 'count'}>
                Count
              </Link>
            </th>
            <th>First seen</th>
            <th aria-sort={sort === undefined ? 'descending' : 'none'}>
              <Link to="/errors" search={others} data-current={sort === undefined}>
                Last seen
              </Link>
            </th>
            <th>Versions</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <GroupRow
              key={row.id}
              group={row}
              most={most}
              selected={selection.ids.has(row.id)}
              toggle={selection.toggle}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The ranges from which on a cause that was seen then is shown. */
function NoneInRange({ last }: { readonly last: ErrorGroup }) {
  const ageMs = Date.now() - Date.parse(last.last_seen_at)
  const range = rangeNames.find((name) => ageMs < ranges[name].ms)
  return (
    <Empty title="No failures in this range">
      <span>
        Last: <Time at={last.last_seen_at} />
      </span>
      {range === undefined ? (
        <Link to="/errors/$fingerprint" params={{ fingerprint: last.fingerprint }}>
          Its cause
        </Link>
      ) : (
        <Link
          to="/errors"
          search={({ from: _from, to: _to, ...before }: ErrorSearch) => ({ ...before, range })}
        >
          Show {ranges[range].words}
        </Link>
      )}
    </Empty>
  )
}

interface GroupRowProps {
  readonly group: Row
  readonly most: number
  readonly selected: boolean
  readonly toggle: (id: string) => void
}

function GroupRow({ group, most, selected, toggle }: GroupRowProps) {
  const { fingerprint, kind, queue, count, error_class: errorClass, sample_error: sample } = group
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
      <td className={ui['wide']}>
        <Link to="/errors/$fingerprint" params={{ fingerprint }} className={ui['strong'] ?? ''}>
          {errorClass}
        </Link>{' '}
        <span className={ui['muted']}>{errorMessage(sample)}</span>
      </td>
      <td>
        <Link to="/errors" search={(before: ErrorSearch) => ({ ...before, kind })}>
          {kind}
        </Link>
      </td>
      <td>
        <Link to="/errors" search={(before: ErrorSearch) => ({ ...before, queue })}>
          {queue}
        </Link>
        {group.tenant_id !== null && <span className={ui['muted']}> of {group.tenant_id}</span>}
      </td>
      <td className={styles['count']} data-label="count">
        <b>{formatCount(count)}</b>
        <span className={styles['bar']} aria-hidden>
          <span style={{ width: `${(100 * count) / most}%` }} />
        </span>
      </td>
      <td data-label="first">
        <Time at={group.first_seen_at} />
      </td>
      <td data-label="last">
        <Time at={group.last_seen_at} />
      </td>
      <td className={ui['mono']}>{group.worker_versions.slice(0, versionsShown).join(' ')}</td>
    </tr>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useCallback } from 'react'
import type { ErrorGroup } from '@queue/client'
import { queries } from '../api/queries.ts'
import { errorsRoute } from '../routes.ts'
import { type RangeName, rangeNames, ranges, statsQueryOf } from '../numbers-range.ts'
import type { ErrorSearch, NumbersSearch } from '../search.ts'
import { Needs } from '../shell/me.tsx'
import { Page } from '../ui/controls.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { errorMessage, formatCount } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import styles from './errors.module.css'
import { FailuresChart } from './failures-chart.tsx'

const filterNames = ['kind', 'queue', 'tenant'] as const
/** What failed in the last hour alone would hide the night. */
const rangeDefault: RangeName = '24h'
/** Versions that are offered, of those that brought a cause, the one of the latest failure first. */
const versionsShown = 3

export function Errors(): ReactElement {
  return (
    <Needs permission="jobs:read">
      <ErrorsPage />
    </Needs>
  )
}

function ErrorsPage() {
  const search = errorsRoute.useSearch()
  const navigate = errorsRoute.useNavigate()
  const change = useCallback(
    (name: keyof ErrorSearch, value: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, [name]: value }) }),
    [navigate],
  )
  const changeTime = (time: NumbersSearch): void =>
    void navigate({
      search: ({ range: _range, from: _from, to: _to, ...before }) => ({ ...before, ...time }),
    })
  const { new: version, sort, range = rangeDefault, from, to, ...filter } = search
  const time = from === undefined || to === undefined ? { range } : { from, to }
  const query = useQuery(queries.errors(filter))
  const other = (): string => `Write ${filterNames.map((name) => `${name}:…`).join(', ')}.`
  const tools = { names: filterNames, values: filter, change, other }
  return (
    <Page title="Errors" subtitle="by their causes">
      <FilterBar {...tools} placeholder="kind:send_email or queue:mail" />
      {filter.tenant === undefined && <FailuresChart about={filter} search={time} change={changeTime} />}
      <Loaded query={query} rows={8}>
        {({ data, next_cursor: next }) => (
          <>
            <VersionTabs groups={data} search={search} />
            <GroupTable
              groups={sortGroups(data.filter(isNewIn(version)).filter(isSeenIn(time)), sort)}
              last={data.find(isNewIn(version))}
              search={search}
            />
            {next !== null && (
              <p className={ui['hint']}>
                These are the {data.length} causes that were seen last. Filters find the others.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** A cause that no worker of another version has seen came with that version. */
function isNewIn(version: string | undefined): (group: ErrorGroup) => boolean {
  return ({ worker_versions: versions }) =>
    version === undefined || (versions.length > 0 && versions.every((one) => one === version))
}

/** Whether a cause was seen at that time, as far as its first and its last sight tell. */
function isSeenIn(time: NumbersSearch): (group: ErrorGroup) => boolean {
  const { from = '', to } = statsQueryOf(time, Date.now())
  const [fromMs, toMs] = [Date.parse(from), to === undefined ? Infinity : Date.parse(to)]
  return ({ first_seen_at: first, last_seen_at: last }) =>
    Date.parse(last) >= fromMs && Date.parse(first) < toMs
}

function sortGroups(groups: readonly ErrorGroup[], sort: ErrorSearch['sort']): readonly ErrorGroup[] {
  return sort === 'count' ? groups.toSorted((a, b) => b.count - a.count) : groups
}

interface GroupsProps {
  readonly groups: readonly ErrorGroup[]
  readonly search: ErrorSearch
}

/** All causes, or those that came with one version of the workers. */
function VersionTabs({ groups, search: { new: current, ...others } }: GroupsProps) {
  const seen = new Set(groups.flatMap(({ worker_versions: versions }) => versions))
  const versions = [...seen].filter((version) => groups.some(isNewIn(version))).slice(0, versionsShown)
  if (current !== undefined && !versions.includes(current)) versions.push(current)
  if (versions.length === 0) return null
  return (
    <nav className={ui['tabs']} aria-label="Versions">
      <Link to="/errors" search={others} className={ui['tab'] ?? ''} data-current={current === undefined}>
        All <span className={ui['muted']}>{formatCount(groups.length)}</span>
      </Link>
      {versions.map((version) => (
        <Link
          key={version}
          to="/errors"
          search={{ ...others, new: version }}
          className={ui['tab'] ?? ''}
          data-current={current === version}
        >
          New in {version}{' '}
          <span className={ui['muted']}>{formatCount(groups.filter(isNewIn(version)).length)}</span>
        </Link>
      ))}
    </nav>
  )
}

interface GroupTableProps extends GroupsProps {
  /** The one that was seen last, at whatever time. */
  readonly last: ErrorGroup | undefined
}

function GroupTable({ groups, last, search }: GroupTableProps) {
  if (groups.length === 0 && last !== undefined) return <NoneInRange last={last} />
  if (groups.length === 0) {
    const isFiltered = Object.keys(search).length > 0
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
  const most = Math.max(...groups.map(({ count }) => count))
  const { sort, ...others } = search
  return (
    <div className={ui['card']}>
      <table className={ui['table']}>
        <thead>
          <tr>
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
          {groups.map((group) => (
            <GroupRow
              key={`${group.fingerprint} ${group.queue} ${group.tenant_id}`}
              group={group}
              most={most}
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

function GroupRow({ group, most }: { readonly group: ErrorGroup; readonly most: number }) {
  const { fingerprint, kind, queue, count, error_class: errorClass, sample_error: sample } = group
  return (
    <tr data-row>
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

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useCallback } from 'react'
import type { ErrorGroup } from '@queue/client'
import { queries } from '../api/queries.ts'
import { errorsRoute } from '../routes.ts'
import { type RangeName, statsQueryOf } from '../numbers-range.ts'
import type { ErrorSearch, NumbersSearch } from '../search.ts'
import { Needs } from '../shell/me.tsx'
import { Page } from '../ui/controls.tsx'
import { Loaded } from '../ui/feedback.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { formatCount } from '../ui/format.ts'
import ui from '../ui/ui.module.css'
import { ErrorGroups } from './error-groups.tsx'
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
            <ErrorGroups
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

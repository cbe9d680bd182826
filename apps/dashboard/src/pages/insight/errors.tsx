import type { ErrorGroup } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useCallback } from 'react'
import { queries } from '../../api/queries.ts'
import type { RangeName } from '../../ranges.ts'
import { errorsRoute } from '../../routes.ts'
import { type ErrorSearch, type NumbersSearch, errorSorts } from '../../search.ts'
import { Needs } from '../../shell/me.tsx'
import { Page } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { formatCount } from '../../ui/format.ts'
import ui from '../../ui/ui.module.css'
import { ErrorGroups } from './error-groups.tsx'
import styles from './errors.module.css'
import { FailuresChart } from './failures-chart.tsx'

const filterNames = ['kind', 'queue', 'tenant'] as const
/** A shorter default range would hide the failures of the night. */
const rangeDefault: RangeName = '24h'
/** The number of version tabs, the latest versions that introduced an error first. */
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
  const { new: version, sort = 'count', range = rangeDefault, from, to, ...filter } = search
  const time = from === undefined || to === undefined ? { range } : { from, to }
  const query = useQuery(queries.errorsIn({ ...filter, sort }, time))
  const help = (): string => `Fields: ${filterNames.join(', ')}.`
  const tools = { names: filterNames, values: filter, change, help }
  return (
    <Page title="Errors" subtitle="Failed attempts grouped by cause">
      <FilterBar {...tools} placeholder="Filter, for example kind:send_email or queue:mail" />
      {filter.tenant === undefined && <FailuresChart scope={filter} search={time} change={changeTime} />}
      <Loaded query={query} rows={8}>
        {({ data, range: counted, next_cursor: next }) => (
          <>
            {data.length > 0 && (
              <div className={styles['tools']}>
                <VersionTabs groups={data} search={search} />
                <SortTabs search={search} />
              </div>
            )}
            {counted !== null && (
              <ErrorGroups
                groups={data.filter(isNewIn(version))}
                range={counted}
                search={search}
                filter={filter}
              />
            )}
            {next !== null && (
              <p className={ui['hint']}>
                Only the first {data.length} errors are shown. Use filters to find others.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** An error group is new in the worker version that first saw it. */
function isNewIn(version: string | undefined): (group: ErrorGroup) => boolean {
  return ({ first_version: first }) => version === undefined || first === version
}

const sortNames = { count: 'Most failures', first: 'Newest', last: 'Last seen' } as const

function SortTabs({ search: { sort: current = 'count', ...others } }: { readonly search: ErrorSearch }) {
  return (
    <nav className={ui['tabs']} aria-label="Order">
      {errorSorts.map((sort) => (
        <Link
          key={sort}
          to="/errors"
          search={{ ...others, sort }}
          className={ui['tab'] ?? ''}
          data-current={sort === current}
        >
          {sortNames[sort]}
        </Link>
      ))}
    </nav>
  )
}

interface GroupsProps {
  readonly groups: readonly ErrorGroup[]
  readonly search: ErrorSearch
}

/** Tabs for all errors, and for the errors that are new in a worker version. */
function VersionTabs({ groups, search: { new: current, ...others } }: GroupsProps) {
  const latestFirst = groups.toSorted((a, b) => b.first_seen_at.localeCompare(a.first_seen_at))
  const newIn = latestFirst.flatMap(({ first_version: version }) => (version === null ? [] : [version]))
  const versions = [...new Set(newIn)].slice(0, versionsShown)
  if (current !== undefined && !versions.includes(current)) versions.push(current)
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

import type { AuditEntry, AuditFilter } from '@queue/client'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { lists } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { auditRoute } from '../../routes.ts'
import type { AuditSearch } from '../../search.ts'
import { Needs } from '../../shell/me.tsx'
import { Page } from '../../ui/controls.tsx'
import { Empty } from '../../ui/feedback.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { formatCount, shortId } from '../../ui/format.ts'
import { ListFrame } from '../../ui/list-frame.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'

const filterNames = ['actor', 'act', 'job_id'] as const

export function Audit(): ReactElement {
  return (
    <Needs permission="audit:read">
      <AuditPage />
    </Needs>
  )
}

function AuditPage() {
  const search = auditRoute.useSearch()
  const navigate = auditRoute.useNavigate()
  // The API refuses an unknown action with an error message.
  const list = useList<AuditEntry>(lists.audit(search as AuditFilter))
  const change = (name: keyof AuditSearch, value: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, [name]: value }) })
  return (
    <Page title="Audit log" subtitle="Newest first">
      <FilterBar
        names={filterNames}
        values={search}
        change={change}
        help={() => `Fields: ${filterNames.join(', ')}.`}
        placeholder="Filter, for example actor:k3x9d0aq or act:job.cancel"
      />
      <ListFrame
        list={list}
        noun="entries"
        empty={<NoEntries isFiltered={filterNames.some((name) => search[name] !== undefined)} />}
      >
        {(entries) => <EntryTable entries={entries} />}
      </ListFrame>
    </Page>
  )
}

function NoEntries({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) return <Empty title="No audit entries yet">Each change of the queue appears here.</Empty>
  return (
    <Empty title="No matching audit entries">
      <Link to="/audit">Clear filters</Link>
    </Empty>
  )
}

function EntryTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <div className={ui['card']}>
      <table className={ui['table']}>
        <thead>
          <tr>
            <th>Time</th>
            <th>Actor</th>
            <th>Action</th>
            <th className={ui['number']}>Changed</th>
            <th>Target</th>
            <th>Address</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id} data-row>
              <td>
                <Time at={entry.at} />
              </td>
              <td>
                <Link to="/audit" search={{ actor: entry.actor }}>
                  {entry.actor_name ?? entry.actor}
                </Link>
              </td>
              <td>
                <Link to="/audit" search={{ act: entry.act }} className={ui['mono'] ?? ''}>
                  {entry.act}
                </Link>
              </td>
              <td className={ui['number']} data-label="changed">
                {formatCount(entry.count)}
              </td>
              <td className={ui['wide']}>
                <Target entry={entry} />
              </td>
              <td className={ui['muted']}>{entry.address}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Target({ entry }: { readonly entry: AuditEntry }) {
  const [first] = entry.job_ids
  if (entry.filter !== null) return <code>{JSON.stringify(entry.filter)}</code>
  if (first === undefined) return entry.target
  return (
    <>
      {entry.target !== null && `${entry.target.length === 36 ? shortId(entry.target) : entry.target} `}
      <Link to="/jobs/$id" params={{ id: first }}>
        job …{shortId(first)}
      </Link>
      {entry.job_ids.length > 1 && ` and ${entry.job_ids.length - 1} more`}
    </>
  )
}

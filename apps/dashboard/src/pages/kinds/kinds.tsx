import type { KindSummary, KindVersions } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { isStatus } from '../../api/errors.ts'
import { queries } from '../../api/queries.ts'
import { kindRoute } from '../../routes.ts'
import { Needs, useMay } from '../../shell/me.tsx'
import { Card, Facts, Page } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { Json } from '../../ui/json.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import { Numbers } from '../insight/numbers.tsx'
import { EnqueueForm } from '../jobs/enqueue-form.tsx'
import job from '../jobs/job.module.css'

export function Kinds(): ReactElement {
  return (
    <Needs permission="kinds:read">
      <KindsPage />
    </Needs>
  )
}

function KindsPage() {
  const query = useQuery(queries.kinds)
  return (
    <Page title="Kinds">
      <Loaded query={query}>
        {(kinds) => (
          <div className={ui['card']}>
            <table className={ui['table']}>
              <thead>
                <tr>
                  <th>Kind</th>
                  <th>Description</th>
                  <th>Versions</th>
                  <th>Source</th>
                </tr>
              </thead>
              <tbody>
                {kinds.map((kind) => (
                  <KindRow key={kind.kind} summary={kind} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function KindRow({
  summary: { kind, description, versions, source, retired_at: retiredAt },
}: {
  readonly summary: KindSummary
}) {
  return (
    <tr data-row>
      <td>
        <Link to="/kinds/$kind" params={{ kind }} className={ui['strong'] ?? ''}>
          {kind}
        </Link>
        {retiredAt !== null && <span className={ui['muted']}> retired</span>}
      </td>
      <td className={ui['wide']}>{description}</td>
      <td data-label="versions">{versions.join(', ')}</td>
      <td className={ui['muted']}>{source === 'built_in' ? 'Built in' : 'Registered'}</td>
    </tr>
  )
}

export function KindPage(): ReactElement {
  return (
    <Needs permission="kinds:read">
      <OneKind />
    </Needs>
  )
}

function OneKind() {
  const { kind } = kindRoute.useParams()
  const query = useQuery(queries.kind(kind))
  if (isStatus(query.error, 404)) {
    return (
      <Page title={kind}>
        <Empty title="Kind not found">
          <Link to="/kinds">All kinds</Link>
        </Empty>
      </Page>
    )
  }
  return <Loaded query={query}>{(details) => <KindView key={kind} details={details} />}</Loaded>
}

function KindView({ details: { kind, versions } }: { readonly details: KindVersions }) {
  const may = useMay()
  const search = kindRoute.useSearch()
  const navigate = kindRoute.useNavigate()
  const [newest] = versions
  const jobs = (
    <Link to="/jobs" search={{ kind }}>
      View jobs
    </Link>
  )
  return (
    <Page title={kind} subtitle={newest?.description ?? 'Kind'} actions={jobs}>
      {may('jobs:read') && (
        <Numbers scope={{ kind }} search={search} change={(to) => void navigate({ search: to })} />
      )}
      <div className={job['columns']}>
        <div className={job['stack']}>
          {versions.map((version) => (
            <Version key={version.version} version={version} />
          ))}
        </div>
        {may('jobs:enqueue') && newest !== undefined && newest.retired_at === null && (
          <Card title="Enqueue a job">
            <EnqueueForm kind={kind} schema={newest.payload_schema} />
          </Card>
        )}
      </div>
    </Page>
  )
}

function Version({ version }: { readonly version: KindVersions['versions'][number] }) {
  return (
    <Card title={`Version ${version.version}`}>
      <Facts
        facts={[
          ['Live workers', version.live_workers],
          ['Defaults', <code key="d">{JSON.stringify(version.defaults)}</code>],
          ['Sensitive fields', version.sensitive === null ? 'All' : version.sensitive.join(', ') || 'None'],
          ['Registered by', version.registered_by],
          ['Last seen', version.last_seen_at === null ? null : <Time key="s" at={version.last_seen_at} />],
          ['Retired', version.retired_at === null ? null : <Time key="r" at={version.retired_at} />],
        ]}
      />
      <Json value={version.payload_schema} name={`Schema of version ${version.version}`} />
    </Card>
  )
}

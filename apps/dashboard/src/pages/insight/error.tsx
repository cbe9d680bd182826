import type { DeadLetter, ErrorGroup } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { jobsActs } from '../../acts/many-acts.ts'
import { isStatus } from '../../api/errors.ts'
import { lists, queries } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import type { RangeName } from '../../ranges.ts'
import { errorRoute } from '../../routes.ts'
import { Needs, useMay } from '../../shell/me.tsx'
import { Button, Card, Facts, Page } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { errorMessage, formatCount, shortId } from '../../ui/format.ts'
import { ListFrame } from '../../ui/list-frame.tsx'
import { Stack } from '../../ui/stack.tsx'
import { Time } from '../../ui/time.tsx'
import { DeadLetterTable } from '../jobs/dead-letter-table.tsx'
import job from '../jobs/job.module.css'
import { RequeueAll } from '../jobs/requeue-all.tsx'
import { ErrorTrend } from './error-trend.tsx'
import styles from './errors.module.css'

/** Errors are often investigated some days after the release that introduced them. */
const rangeDefault: RangeName = '7d'

export function ErrorPage(): ReactElement {
  return (
    <Needs permission="jobs:read">
      <OneError />
    </Needs>
  )
}

/** One error group, in all queues and tenants in which it was seen. */
function OneError() {
  const { fingerprint } = errorRoute.useParams()
  const query = useQuery(queries.errors({ fingerprint }))
  // The API refuses an invalid fingerprint.
  if (isStatus(query.error, 400)) return <ErrorNotFound />
  return (
    <Loaded query={query} rows={8}>
      {({ data }) =>
        data[0] === undefined ? <ErrorNotFound /> : <ErrorView latest={data[0]} groups={data} />
      }
    </Loaded>
  )
}

function ErrorNotFound() {
  return (
    <Page title="Error">
      <Empty title="Error not found">
        <span>Retention may have removed it, or your key does not have access to it.</span>
        <Link to="/errors">All errors</Link>
      </Empty>
    </Page>
  )
}

interface ErrorViewProps {
  readonly latest: ErrorGroup
  readonly groups: readonly ErrorGroup[]
}

function ErrorView({ latest, groups }: ErrorViewProps) {
  const { fingerprint, error_class: errorClass, kind } = latest
  const { range = rangeDefault, from, to } = errorRoute.useSearch()
  const navigate = errorRoute.useNavigate()
  const time = from === undefined || to === undefined ? { range } : { from, to }
  return (
    <Page
      title={errorMessage(latest.sample_error)}
      subtitle={`${errorClass} · ${kind}`}
      actions={
        <>
          <RequeueAll filter={{ fingerprint }} look="primary">
            Requeue dead letters
          </RequeueAll>
          <CancelRetrying fingerprint={fingerprint} />
        </>
      }
    >
      <ErrorTrend
        fingerprint={fingerprint}
        lastSeenAt={latest.last_seen_at}
        search={time}
        change={(chosen) => void navigate({ search: chosen })}
      />
      <div className={job['columns']}>
        <Card title="Latest failure">
          <div className={styles['sample']}>
            <Stack label="Error" text={latest.sample_error} />
            {latest.sample_job_id !== null && (
              <Link to="/jobs/$id" params={{ id: latest.sample_job_id }}>
                Job …{shortId(latest.sample_job_id)}
              </Link>
            )}
          </div>
        </Card>
        <ErrorFacts groups={groups} />
      </div>
      <DeadLettersCard fingerprint={fingerprint} />
    </Page>
  )
}

/** Cancels the retrying jobs of an error group. */
function CancelRetrying({ fingerprint }: { readonly fingerprint: string }) {
  const may = useMay()
  const { confirmMany } = useActs()
  if (!may('jobs:control')) return null
  return (
    <Button
      look="danger"
      data-key="c"
      onClick={() => confirmMany(jobsActs({ fingerprint, status: 'retrying' }, ['cancel']))}
    >
      Cancel retrying jobs
    </Button>
  )
}

function ErrorFacts({ groups }: { readonly groups: readonly ErrorGroup[] }) {
  const firstSeen = groups.map((one) => one.first_seen_at).toSorted()[0] ?? ''
  const lastSeen =
    groups
      .map((one) => one.last_seen_at)
      .toSorted()
      .at(-1) ?? ''
  const versions = [...new Set(groups.flatMap((one) => one.worker_versions))]
  const firstVersion = groups.find((one) => one.first_seen_at === firstSeen)?.first_version
  return (
    <Card title="Occurrences">
      <Facts
        facts={[
          ['Failures', formatCount(groups.reduce((sum, { count }) => sum + count, 0))],
          ['First seen', <Time key="f" at={firstSeen} format="instant" />],
          ['First version', firstVersion],
          ['Last seen', <Time key="l" at={lastSeen} format="instant" />],
          ['Versions', versions.join(', ')],
          [
            'Jobs',
            <Link key="j" to="/jobs" search={{ fingerprint: groups[0]?.fingerprint ?? '' }}>
              View jobs
            </Link>,
          ],
          ...groups.map(
            ({ fingerprint, queue, tenant_id: tenant, count }) =>
              [
                tenant === null ? `In ${queue}` : `In ${queue}, tenant ${tenant}`,
                <Link
                  key={`${queue} ${tenant}`}
                  to="/jobs"
                  search={{ fingerprint, queue, ...(tenant !== null && { tenant }) }}
                >
                  {formatCount(count)}
                </Link>,
              ] as const,
          ),
        ]}
      />
    </Card>
  )
}

function DeadLettersCard({ fingerprint }: { readonly fingerprint: string }) {
  if (!useMay()('dead_letters:read')) return null
  return <DeadLettersOf fingerprint={fingerprint} />
}

function DeadLettersOf({ fingerprint }: { readonly fingerprint: string }) {
  const list = useList<DeadLetter>(lists.deadLetters({ fingerprint }))
  const all = (
    <Link to="/dead-letters" search={{ fingerprint }}>
      View in dead letters
    </Link>
  )
  return (
    <Card title="Dead letters" aside={list.rows.length > 0 && all} flush>
      <ListFrame
        list={list}
        noun="dead letters"
        empty={<Empty title="No dead letters: the jobs succeeded or are being retried" />}
      >
        {(rows) => <DeadLetterTable deadLetters={rows} />}
      </ListFrame>
    </Card>
  )
}

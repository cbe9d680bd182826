import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { DeadLetter, ErrorGroup } from '@queue/client'
import { useActs } from '../acts/acts.tsx'
import { jobsActs } from '../acts/many-acts.ts'
import { isStatus } from '../api/errors.ts'
import { lists, queries } from '../api/queries.ts'
import { useList } from '../api/use-list.ts'
import type { RangeName } from '../numbers-range.ts'
import { errorRoute } from '../routes.ts'
import { Needs, useMay } from '../shell/me.tsx'
import { Button, Card, Facts, Page } from '../ui/controls.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { errorMessage, formatCount, shortId } from '../ui/format.ts'
import { ListFrame } from '../ui/list-frame.tsx'
import { Stack } from '../ui/stack.tsx'
import { Time } from '../ui/time.tsx'
import { ErrorTrend } from './error-trend.tsx'
import styles from './errors.module.css'
import job from './job.module.css'
import { LetterTable } from './letter-table.tsx'
import { RequeueAll } from './requeue-all.tsx'

/** A release brings a cause some days before somebody looks at it. */
const rangeDefault: RangeName = '7d'

export function ErrorPage(): ReactElement {
  return (
    <Needs permission="jobs:read">
      <OneError />
    </Needs>
  )
}

/** One cause, in each queue and of each tenant in which it was seen. */
function OneError() {
  const { fingerprint } = errorRoute.useParams()
  const query = useQuery(queries.errors({ fingerprint }))
  // The API refuses a text that is no fingerprint.
  if (isStatus(query.error, 400)) return <UnknownCause />
  return (
    <Loaded query={query} rows={8}>
      {({ data }) =>
        data[0] === undefined ? <UnknownCause /> : <ErrorView latest={data[0]} groups={data} />
      }
    </Loaded>
  )
}

function UnknownCause() {
  return (
    <Page title="Cause">
      <Empty title="This cause is not known here">
        <span>It may have been removed by retention, or belong to somebody else.</span>
        <Link to="/errors">All causes</Link>
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
            Requeue its dead letters
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
        <Card title="The latest">
          <div className={styles['sample']}>
            <Stack label="Error" text={latest.sample_error} />
            <Link to="/jobs/$id" params={{ id: latest.sample_job_id }}>
              Job …{shortId(latest.sample_job_id)}
            </Link>
          </div>
        </Card>
        <ErrorFacts groups={groups} />
      </div>
      <ItsDeadLetters fingerprint={fingerprint} />
    </Page>
  )
}

/** Jobs that have failed so, and would be tried again. */
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
      Cancel what is tried again
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
    <Card title="How often">
      <Facts
        facts={[
          ['Failures', formatCount(groups.reduce((sum, { count }) => sum + count, 0))],
          ['First seen', <Time key="f" at={firstSeen} exact />],
          ['First seen in', firstVersion],
          ['Last seen', <Time key="l" at={lastSeen} exact />],
          ['Versions', versions.join(', ')],
          [
            'Jobs',
            <Link key="j" to="/jobs" search={{ fingerprint: groups[0]?.fingerprint ?? '' }}>
              those that failed so
            </Link>,
          ],
          ...groups.map(
            ({ queue, tenant_id: tenant, count }) =>
              [
                tenant === null ? `In ${queue}` : `In ${queue} of ${tenant}`,
                <Link key={`${queue} ${tenant}`} to="/jobs" search={{ queue }}>
                  {formatCount(count)}
                </Link>,
              ] as const,
          ),
        ]}
      />
    </Card>
  )
}

function ItsDeadLetters({ fingerprint }: { readonly fingerprint: string }) {
  if (!useMay()('dead_letters:read')) return null
  return <LettersOf fingerprint={fingerprint} />
}

function LettersOf({ fingerprint }: { readonly fingerprint: string }) {
  const list = useList<DeadLetter>(lists.deadLetters({ fingerprint }))
  const all = (
    <Link to="/dead-letters" search={{ fingerprint }}>
      Select among them
    </Link>
  )
  return (
    <Card title="Jobs that failed for good" aside={list.rows.length > 0 && all} flush>
      <ListFrame
        list={list}
        noun="dead letters"
        empty={<Empty title="None: each has succeeded since, or is to be tried again" />}
      >
        {(rows) => <LetterTable letters={rows} />}
      </ListFrame>
    </Card>
  )
}

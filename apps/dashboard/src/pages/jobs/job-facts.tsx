import type { Job } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { metadataPrefix } from '../../search.ts'
import { Card, Facts } from '../../ui/controls.tsx'
import { formatSpan } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import { optionsWith } from './job-options.ts'

/** How long a unique key prevents other jobs with the same key. */
const uniqueWords = {
  waiting: 'until the job starts',
  live: 'until the job ends',
  window: 'for a time window',
} as const satisfies Record<NonNullable<Job['unique_scope']>, string>

/** The options of the job, its worker and its times. */
export function JobFacts({ job }: { readonly job: Job }) {
  return (
    <Card title="Details">
      <Facts
        facts={[
          [
            'Queue',
            <Link key="queue" to="/queues/$name" params={{ name: job.queue }}>
              {job.queue}
            </Link>,
          ],
          ['Kind', `${job.kind}, version ${job.kind_version}`],
          [
            'Tenant',
            job.tenant_id === null ? null : (
              <Link key="tenant" to="/jobs" search={{ tenant: job.tenant_id }}>
                {job.tenant_id}
              </Link>
            ),
          ],
          ['Key', job.key === null ? null : <KeyFact key="key" value={job.key} />],
          ...optionsWith('fact').map(({ label, fact }) => [label, fact(job)] as const),
          ['Metadata', job.metadata === null ? null : <Metadata key="m" metadata={job.metadata} />],
          ['Priority', `${job.priority} (0 is highest)`],
          ['Attempts', `${job.attempts} of ${job.max_attempts}`],
          ['Crashes', job.crashes === 0 ? null : job.crashes],
          ['Timeout', job.timeout_ms === null ? null : formatSpan(job.timeout_ms)],
          [
            'Retry policy',
            job.retry_policy === null ? null : <code key="r">{JSON.stringify(job.retry_policy)}</code>,
          ],
          [
            'Idempotency key',
            job.idempotency_key === null ? null : <code key="k">{job.idempotency_key}</code>,
          ],
          [
            'Unique key',
            job.unique_key === null ? null : (
              <span key="u">
                <code>{job.unique_key}</code>{' '}
                {job.unique_scope === null ? 'no longer' : uniqueWords[job.unique_scope]}
              </span>
            ),
          ],
          ['Trace', job.trace_context === null ? null : <code key="t">{job.trace_context}</code>],
          [
            'Worker',
            job.locked_by === null ? null : (
              <Link key="w" to="/jobs" search={{ worker: job.locked_by }} className={ui['mono'] ?? ''}>
                {job.locked_by}
              </Link>
            ),
          ],
          ['Created', <Time key="c" at={job.created_at} format="instant" />],
          ['Due', <Time key="d" at={job.run_at} format="instant" />],
          ['Expires', job.expires_at === null ? null : <Time key="x" at={job.expires_at} format="instant" />],
          ['Ended', job.finished_at === null ? null : <Time key="e" at={job.finished_at} format="instant" />],
        ]}
      />
    </Card>
  )
}

/** Each member links to the jobs with the same value. */
function Metadata({ metadata }: { readonly metadata: NonNullable<Job['metadata']> }) {
  return (
    <span className={ui['chips']}>
      {Object.entries(metadata).map(([name, value]) => (
        <Link
          key={name}
          to="/jobs"
          search={{ [`${metadataPrefix}${name}`]: String(value) }}
          className={ui['chip'] ?? ''}
        >
          {name}: {String(value)}
        </Link>
      ))}
    </span>
  )
}

function KeyFact({ value }: { readonly value: string }) {
  return (
    <Link to="/jobs" search={{ key: value }} className={ui['mono'] ?? ''}>
      {value}
    </Link>
  )
}

import type { ExpectedStart, Job, WhyReason } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queries } from '../../api/queries.ts'
import { Loaded } from '../../ui/feedback.tsx'
import { formatCount, plural, shortId } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import styles from '../jobs/job.module.css'
import { ReasonActs } from './reason-acts.tsx'

interface JobWhyProps {
  readonly job: Job
}

/** Why a waiting job does not start, how to fix each reason, and when it is expected to start. */
export function JobWhy({ job }: JobWhyProps) {
  const query = useQuery(queries.why(job.id))
  return (
    <Loaded query={query} rows={2}>
      {({ reasons, start }) => (
        <>
          <Headline reasons={reasons} />
          <Reasons job={job} reasons={reasons} />
          {start !== null && <Start start={start} />}
        </>
      )}
    </Loaded>
  )
}

/** Why a running job does not end, besides its work. */
export function RunningWhy({ job }: JobWhyProps) {
  const { data } = useQuery(queries.why(job.id))
  const reasons = (data?.reasons ?? []).filter(({ code }) => code !== 'running')
  return <Reasons job={job} reasons={reasons} />
}

interface ReasonsProps {
  readonly reasons: readonly WhyReason[]
}

function Headline({ reasons }: ReasonsProps) {
  const blocking = reasons.filter((reason) => reason.blocking).length
  if (blocking === 0) return <b>Nothing blocks this job. It starts when a worker reaches it.</b>
  return (
    <b>
      {blocking === 1
        ? 'One thing keeps this job from starting.'
        : `${blocking} things keep this job from starting.`}
    </b>
  )
}

function Reasons({ job, reasons }: ReasonsProps & JobWhyProps) {
  if (reasons.length === 0) return null
  return (
    <ol className={styles['reasons']} aria-label="Reasons">
      {reasons.map((reason) => (
        <li key={`${reason.code} ${reason.details.scope}`} data-row data-blocking={reason.blocking}>
          <ReasonText reason={reason} />
          <span className={styles['ends']}>
            <ReasonActs job={job} reason={reason} />
          </span>
        </li>
      ))}
    </ol>
  )
}

function ReasonText({ reason }: { readonly reason: WhyReason }) {
  const { message, ends, since, until, blocking, details } = reason
  return (
    <div>
      <p>
        {message}
        {since !== null && (
          <span className={ui['muted']}>
            {' '}
            · <Time at={since} />
          </span>
        )}
      </p>
      <p className={ui['hint']}>
        {blocking ? 'Fix' : 'Does not block the job, only delays it. Fix'}: {ends}
        {until !== null && (
          <>
            {' · '}
            <Time at={until} />, at <Time at={until} format="instant" />
          </>
        )}
      </p>
      <Holders ids={details.held_by ?? []} />
      {details.elsewhere !== null && <OtherQueues queues={details.elsewhere} />}
    </div>
  )
}

/** The jobs that use up the limit, or that come first. */
function Holders({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return null
  return (
    <p className={ui['hint']}>
      Waiting for{' '}
      {ids.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/jobs/$id" params={{ id }}>
            …{shortId(id)}
          </Link>
        </span>
      ))}
    </p>
  )
}

/** Other queues whose workers can run the job, which may be in the wrong queue. */
function OtherQueues({ queues }: { readonly queues: readonly string[] }) {
  return (
    <p className={ui['hint']}>
      Live workers of other queues can run it:{' '}
      {queues.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Link to="/queues/$name" params={{ name }}>
            {name}
          </Link>
        </span>
      ))}
    </p>
  )
}

/** Why the expected start is unknown, for the reasons that are shown. */
const unknownStartTexts: Readonly<Partial<Record<NonNullable<ExpectedStart['unknown']>, string>>> = {
  out_of_bounds: 'Your key cannot see how many jobs are ahead of this one.',
  too_many_before: 'Too many jobs are ahead of this one to count.',
  no_rate: 'The expected start is unknown: no job of this queue had to wait in the last minutes.',
}

function Start({ start }: { readonly start: ExpectedStart }) {
  const { place, expected_at: at, starts_per_minute: rate, unknown } = start
  const unknownText = unknown === null ? undefined : unknownStartTexts[unknown]
  return (
    <p>
      {place !== null && (
        <b>
          {place === 0
            ? 'This job is next in its queue.'
            : `${plural(place, 'job')} ahead of this one in the queue.`}
        </b>
      )}{' '}
      {at !== null && (
        <>
          Expected to start <Time at={at} />, at <Time at={at} format="instant" />
          {rate !== null && (
            <span className={ui['muted']}> ({formatCount(Math.round(rate))} starts per minute)</span>
          )}
        </>
      )}
      {unknownText !== undefined && <span className={ui['muted']}>{unknownText}</span>}
    </p>
  )
}

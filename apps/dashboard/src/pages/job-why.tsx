import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ExpectedStart, Job, WhyReason } from '@queue/client'
import { queries } from '../api/queries.ts'
import { Loaded } from '../ui/feedback.tsx'
import { formatCount, plural, shortId } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { ReasonActs } from './reason-acts.tsx'
import styles from './job.module.css'

interface JobWhyProps {
  readonly job: Job
}

/** Why a waiting job does not start, what ends each reason, and when its turn comes. */
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

/** What keeps a running job from its end, besides its work. */
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
  if (blocking === 0) return <b>Nothing holds it back: it starts when its turn comes.</b>
  return (
    <b>{blocking === 1 ? 'It waits for this to end.' : `It waits for each of ${blocking} things to end.`}</b>
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
        {blocking ? 'Ends by' : 'Only takes longer; ends by'}: {ends}
        {until !== null && (
          <>
            {' · '}
            <Time at={until} />, at <Time at={until} exact />
          </>
        )}
      </p>
      <Holders ids={details.held_by ?? []} />
      {details.elsewhere !== null && <Elsewhere queues={details.elsewhere} />}
    </div>
  )
}

/** The jobs whose end makes room, or whose turn it is. */
function Holders({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return null
  return (
    <p className={ui['hint']}>
      Held by{' '}
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

/** It may simply have been enqueued into the wrong queue. */
function Elsewhere({ queues }: { readonly queues: readonly string[] }) {
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

/** Why nobody can say when it starts, where that is worth a word. */
const unknownWords: Readonly<Partial<Record<NonNullable<ExpectedStart['unknown']>, string>>> = {
  out_of_bounds: 'Your key does not show how many come before it.',
  too_many_before: 'So many jobs come before it that they are not counted.',
  no_rate: 'No job of its queue had to wait in the last minutes, so nobody knows how fast its turn comes.',
}

function Start({ start }: { readonly start: ExpectedStart }) {
  const { place, expected_at: at, starts_per_minute: rate, unknown } = start
  const words = unknown === null ? undefined : unknownWords[unknown]
  return (
    <p>
      {place !== null && (
        <b>
          {place === 0 ? 'It is the next of its queue.' : `${plural(place, 'job')} of its queue before it.`}
        </b>
      )}{' '}
      {at !== null && (
        <>
          Expected to start <Time at={at} />, at <Time at={at} exact />
          {rate !== null && (
            <span className={ui['muted']}> ({formatCount(Math.round(rate))} starts a minute)</span>
          )}
        </>
      )}
      {words !== undefined && <span className={ui['muted']}>{words}</span>}
    </p>
  )
}

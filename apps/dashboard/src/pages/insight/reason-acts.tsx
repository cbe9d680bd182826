import type { Job, Limit, WhyReason } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, Suspense, lazy, useState } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { runJobNowAct } from '../../acts/job-acts.ts'
import { limitSubject, pauseLimit } from '../../acts/limit-acts.ts'
import { queries } from '../../api/queries.ts'
import { useMay } from '../../shell/me.tsx'
import { Button } from '../../ui/controls.tsx'
import { plural } from '../../ui/format.ts'
import { PauseButton } from '../../ui/queue-table.tsx'
import { EditJobButton } from '../jobs/edit-job-button.tsx'

const LimitForm = lazy(() =>
  import('../flow/limit-form.tsx').then((loaded) => ({ default: loaded.LimitForm })),
)

interface ReasonProps {
  readonly reason: WhyReason
  readonly job: Job
}

/** The action that fixes a reason, or a link to the place, as far as the caller has permission. */
export function ReasonActs({ reason, job }: ReasonProps): ReactElement | null {
  const Acts = actsOf[reason.code]
  return Acts === undefined ? null : <Acts reason={reason} job={job} />
}

const actsOf: Readonly<Partial<Record<WhyReason['code'], (props: ReasonProps) => ReactElement | null>>> = {
  not_due: RunNow,
  attempts_spent: AllowMore,
  queue_paused: ResumeQueue,
  limit_paused: ChangeLimit,
  limit_full: ChangeLimit,
  rate_spent: ChangeLimit,
  behind_in_order: SeeLimits,
  waits_turn: SeeLimits,
  queue_unknown: SeeWorkers,
  no_worker: SeeWorkers,
  kind_unserved: SeeWorkers,
  version_unserved: SeeWorkers,
  crash_suspect_waits: SeeWorkers,
  schema_refused: SeeWorkers,
  slots_full: SeeWorkers,
  owner_lost: SeeWorkers,
  database_read_only: SeeSystem,
}

function RunNow({ job }: ReasonProps) {
  const may = useMay()
  const { confirm } = useActs()
  if (!may('jobs:control')) return null
  return <Button onClick={() => confirm(runJobNowAct(job))}>Run now</Button>
}

function AllowMore({ job }: ReasonProps) {
  if (!useMay()('jobs:edit')) return null
  return <EditJobButton id={job.id}>Allow more attempts</EditJobButton>
}

function ResumeQueue({ job, reason: { since } }: ReasonProps) {
  return <PauseButton queue={{ name: job.queue, paused_at: since ?? '' }} />
}

function SeeWorkers({ job }: ReasonProps) {
  if (!useMay()('ops:read')) return null
  return (
    <Link to="/queues/$name" params={{ name: job.queue }} search={{ tab: 'workers' }}>
      Workers of queue {job.queue}
    </Link>
  )
}

function SeeSystem() {
  if (!useMay()('ops:read')) return null
  return <Link to="/system">Open System</Link>
}

function SeeLimits({ job }: ReasonProps) {
  if (!useMay()('ops:read')) return null
  return (
    <Link to="/queues/$name" params={{ name: job.queue }} search={{ tab: 'limits' }}>
      Limits of queue {job.queue}
    </Link>
  )
}

/** A button that resumes or edits the limit, and a link to the jobs that run under it. */
function ChangeLimit({ reason, job }: ReasonProps) {
  const may = useMay()
  const { data } = useQuery({ ...queries.limits(job.queue), enabled: may('ops:read') })
  const limit = limitOf(data ?? [], { reason, job })
  return (
    <>
      <RunningUnder reason={reason} job={job} />
      {limit === undefined || !may('limits:write') ? (
        <SeeLimits reason={reason} job={job} />
      ) : reason.code === 'limit_paused' ? (
        <ResumeLimit limit={limit} />
      ) : (
        <EditLimit limit={limit} />
      )}
    </>
  )
}

/** The limit of a key takes precedence over the limit on each key. */
function limitOf(limits: readonly Limit[], { reason: { details }, job }: ReasonProps): Limit | undefined {
  const { scope } = details
  if (scope === null) return undefined
  const name = { queue: null, kind: job.kind, key: job.key }[scope]
  const own = limits.find((limit) => limit.scope === scope && limit.name === name)
  return own ?? (scope === 'key' ? limits.find((limit) => limit.scope === 'each_key') : undefined)
}

/** The running jobs under the limit. Not for a key, because it may be hidden from the caller. */
function RunningUnder({ reason: { details }, job: { queue } }: ReasonProps) {
  const { scope, kind, jobs } = details
  if (jobs === null || scope === 'key') return null
  return (
    <Link to="/jobs" search={{ queue, status: 'running', ...(kind !== null && { kind }) }}>
      {plural(jobs, 'running job')}
    </Link>
  )
}

function ResumeLimit({ limit }: { readonly limit: Limit }) {
  const { perform } = useActs()
  return (
    <Button data-key="r" onClick={() => void perform(pauseLimit(limit))}>
      Resume
      <span className="visually-hidden"> the limit on {limitSubject(limit)}</span>
    </Button>
  )
}

function EditLimit({ limit }: { readonly limit: Limit }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        Edit limit
        <span className="visually-hidden"> on {limitSubject(limit)}</span>
      </Button>
      {isOpen && (
        <Suspense>
          <LimitForm about={{}} limit={limit} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

import type { Job } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Braces, CopyPlus, Ellipsis, Link2, Radio } from 'lucide-react'
import type { ReactElement } from 'react'
import { useActs } from '../../acts/acts.tsx'
import {
  canCancel,
  canEdit,
  canRequeue,
  canRunNow,
  cancelAct,
  duplicateAct,
  requeueAct,
  runJobNowAct,
} from '../../acts/job-acts.ts'
import { apiUrl, client } from '../../api/client.ts'
import { isStatus } from '../../api/errors.ts'
import { useExpectedOne } from '../../api/expected.ts'
import { queries } from '../../api/queries.ts'
import { jobRoute } from '../../routes.ts'
import { Needs, useMay } from '../../shell/me.tsx'
import { Button, Card, Page } from '../../ui/controls.tsx'
import { CopyButton, copyText } from '../../ui/copy.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { shortId } from '../../ui/format.ts'
import { Json } from '../../ui/json.tsx'
import { Menu } from '../../ui/menu.tsx'
import { StatePill, Unconfirmed } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import { Attempts } from './attempts.tsx'
import { EditJobButton } from './edit-job-button.tsx'
import { JobFacts } from './job-facts.tsx'
import { JobLogs } from './job-logs.tsx'
import { JobVerdict } from './job-verdict.tsx'
import styles from './job.module.css'
import { Timeline } from './timeline.tsx'
import { useFollowedJob } from './use-followed-job.ts'

export function JobPage(): ReactElement {
  return (
    <Needs permission="jobs:read">
      <OneJob key={jobRoute.useParams().id} />
    </Needs>
  )
}

function OneJob() {
  const { id } = jobRoute.useParams()
  const { query, isLive } = useFollowedJob(id)
  if (isStatus(query.error, 404)) {
    return (
      <Page title={`Job …${shortId(id)}`}>
        <Empty title="Job not found">
          <span>Retention may have removed it, or your key does not have access to it.</span>
          <Link to="/jobs">All jobs</Link>
        </Empty>
      </Page>
    )
  }
  return (
    <Loaded query={query} rows={12}>
      {(job) => <JobView job={job} isLive={isLive} />}
    </Loaded>
  )
}

function JobView({ job, isLive }: { readonly job: Job; readonly isLive: boolean }) {
  const executions = useQuery(queries.executions(job.id))
  // Only the header and the buttons show the expected state. The rest waits for the API.
  const expected = useExpectedOne('job', job)
  const title = (
    <span className={styles['title']}>
      {job.kind} <StatePill status={expected.status} cancelling={expected.cancel_requested} />
      <Unconfirmed row={expected} />
    </span>
  )
  return (
    <Page title={title} actions={<JobActs job={expected} />}>
      <div className={styles['sub']}>
        <code>{job.id}</code>
        <CopyButton text={job.id}>Copy ID</CopyButton>
        {isLive && (
          <span className={styles['live']}>
            <Radio size={14} aria-hidden /> Live
          </span>
        )}
      </div>
      <JobVerdict job={job} />
      <Loaded query={executions} rows={3}>
        {(attempts) => (
          <>
            <Timeline job={job} attempts={attempts} />
            <Attempts job={job} attempts={attempts} />
          </>
        )}
      </Loaded>
      <JobLogs job={job} />
      <div className={styles['columns']}>
        <Documents job={job} />
        <JobFacts job={job} />
      </div>
    </Page>
  )
}

/** The actions that the state of the job and the permissions of the caller allow. */
function JobActs({ job }: { readonly job: Job }) {
  const may = useMay()
  const { confirm } = useActs()
  return (
    <>
      {may('jobs:edit') && canEdit(job.status) && <EditJobButton id={job.id}>Edit</EditJobButton>}
      {may('jobs:control') && canRunNow(job) && (
        <Button onClick={() => confirm(runJobNowAct(job))}>Run now</Button>
      )}
      {may('jobs:control') && canRequeue(job) && (
        <Button look="primary" data-key="r" onClick={() => confirm(requeueAct([job]))}>
          Requeue
        </Button>
      )}
      {may('jobs:control') && canCancel(job.status) && !job.cancel_requested && (
        <Button look="danger" data-key="c" onClick={() => confirm(cancelAct([job]))}>
          Cancel
        </Button>
      )}
      <MoreActs job={job} />
    </>
  )
}

/** Less frequent actions, which do not change the job. */
function MoreActs({ job }: { readonly job: Job }) {
  const may = useMay()
  const { confirm, perform } = useActs()
  const copy = async (text: string, message: string) => {
    await copyText(text)
    return { text: message }
  }
  const share = {
    doing: 'Creating the link',
    run: async () => {
      const { path } = await client.linkTo(job.id)
      return copy(`${apiUrl}${path}`, 'Link copied. It shows this job without sign-in for 15 minutes.')
    },
  }
  const copyJob = {
    doing: 'Copying the job',
    run: () => copy(JSON.stringify(job, null, 2), 'Job copied as JSON.'),
  }
  const label = (
    <>
      <Ellipsis size={16} aria-hidden />
      <span className="visually-hidden">More actions</span>
    </>
  )
  return (
    <Menu label={label} name="More actions">
      <Button look="quiet" onClick={() => void perform(share)}>
        <Link2 size={14} aria-hidden />
        Copy link for 15 minutes
      </Button>
      <Button look="quiet" onClick={() => void perform(copyJob)}>
        <Braces size={14} aria-hidden />
        Copy as JSON
      </Button>
      {may('jobs:control') && job.stripped_at === null && (
        <Button look="quiet" onClick={() => confirm(duplicateAct(job))}>
          <CopyPlus size={14} aria-hidden />
          Duplicate
        </Button>
      )}
    </Menu>
  )
}

function Documents({ job }: { readonly job: Job }) {
  if (job.stripped_at !== null) return <Receipt at={job.stripped_at} />
  return <PayloadAndResult job={job} />
}

function Receipt({ at }: { readonly at: string }) {
  return (
    <Card title="Payload">
      <Empty title="This is a receipt">
        <span>
          Retention has removed the payload and the result (<Time at={at} />
          ). The idempotency key still prevents a duplicate.
        </span>
      </Empty>
    </Card>
  )
}

function PayloadAndResult({ job }: { readonly job: Job }) {
  const isHidden = !useMay()('payload:read') && job.sensitive?.length !== 0
  const hint = <span className={ui['hint']}>Masked: needs payload:read</span>
  return (
    <div className={styles['stack']}>
      <Card title="Payload" aside={isHidden && hint}>
        <Json value={job.payload} name="Payload" />
      </Card>
      {job.result !== null && (
        <Card title="Result" aside={isHidden && !job.open_results && hint}>
          <Json value={job.result} name="Result" />
        </Card>
      )}
    </div>
  )
}

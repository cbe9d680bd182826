import type { Queue } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queries } from '../../api/queries.ts'
import { useNowMs } from '../../shell/clock.ts'
import { Card } from '../../ui/controls.tsx'
import { shortId } from '../../ui/format.ts'
import styles from '../jobs/job.module.css'
import { JobWhy } from './job-why.tsx'

/** Why the newest due job of a queue has not started. What holds up the queue holds up this job too, and its position shows for how long. */
export function QueueWhy({ queue }: { readonly queue: Queue }) {
  const { name, oldest_ready_seconds: oldest } = queue
  const { data } = useQuery({ ...queries.waiting(name), enabled: oldest !== null })
  const nowMs = useNowMs()
  const job = oldest === null ? undefined : data?.data.find(({ run_at: at }) => Date.parse(at) <= nowMs)
  if (job === undefined) return null
  const link = (
    <Link to="/jobs/$id" params={{ id: job.id }}>
      {job.kind} …{shortId(job.id)}
    </Link>
  )
  return (
    <Card title="Why the newest job waits" aside={link}>
      <div className={styles['why']}>
        <JobWhy key={job.id} job={job} />
      </div>
    </Card>
  )
}

import type { Worker } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { Card } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import ui from '../../ui/ui.module.css'
import { RunningJobs } from '../jobs/running-jobs.tsx'
import { WorkerTable } from '../workers/worker-table.tsx'

/** The workers that serve a queue or were lost recently, and the running jobs of the queue. */
export function QueueWorkers({ queue }: { readonly queue: string }) {
  const query = useQuery(queries.workers)
  const running = useQuery(queries.runningOfQueue(queue))
  const serving = (query.data ?? []).filter(
    ({ queues, state }) => queues.includes(queue) && state !== 'stopped',
  )
  return (
    <>
      <Card title="Workers of this queue" aside={<Slots workers={serving} />} flush>
        <Loaded query={query}>
          {() => (serving.length === 0 ? <NoWorkers queue={queue} /> : <WorkerTable workers={serving} />)}
        </Loaded>
      </Card>
      <RunningJobs query={running} search={{ queue }} none="No running jobs" />
    </>
  )
}

/** The slots of the live workers, which can serve other queues too. */
function Slots({ workers }: { readonly workers: readonly Worker[] }) {
  const live = workers.filter(({ state }) => state === 'active')
  const sum = (of: (worker: Worker) => number): number => live.reduce((total, one) => total + of(one), 0)
  if (live.length === 0) return null
  return (
    <span className={ui['hint']}>
      {plural(live.length, 'live worker')}, {formatCount(sum(({ running }) => running))} of{' '}
      {formatCount(sum(({ concurrency }) => concurrency))} slots in use
    </span>
  )
}

function NoWorkers({ queue }: { readonly queue: string }) {
  return (
    <Empty title={`No worker serves ${queue}`}>
      <span>Its jobs wait until a worker serves the queue.</span>
      <code className={ui['snippet']}>
        {`createWorker({ connectionString, queues: ['${queue}'], handlers }).start()`}
      </code>
    </Empty>
  )
}

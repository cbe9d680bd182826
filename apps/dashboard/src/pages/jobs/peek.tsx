import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { liveMs, queries } from '../../api/queries.ts'
import { usePaused } from '../../shell/live.ts'
import { Facts, IconButton } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { Json } from '../../ui/json.tsx'
import { StatePill } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import styles from './jobs.module.css'

/** A preview of one job beside the list. */
export function Peek({ id, close }: { readonly id: string; readonly close: () => void }) {
  const paused = usePaused()
  const query = useQuery({ ...queries.job(id), refetchInterval: paused ? false : liveMs })
  return (
    <aside className={styles['peek']} aria-label="Job preview">
      <Loaded query={query}>
        {(job) => (
          <>
            <div className={styles['peekHead']}>
              <h2>
                <Link to="/jobs/$id" params={{ id }}>
                  {job.kind}
                </Link>
              </h2>
              <StatePill status={job.status} cancelling={job.cancel_requested} />
            </div>
            <Facts
              facts={[
                ['ID', <code key="id">{job.id}</code>],
                ['Queue', job.queue],
                ['Tenant', job.tenant_id],
                ['Attempts', `${job.attempts} of ${job.max_attempts}`],
                ['Created', <Time key="created" at={job.created_at} />],
                [
                  'Error',
                  job.last_error === null ? null : (
                    <span className={ui['faultText']}>{job.last_error.slice(0, 400)}</span>
                  ),
                ],
              ]}
            />
            <Json value={job.payload} name="Payload" />
          </>
        )}
      </Loaded>
      <div className={styles['peekClose']}>
        <IconButton label="Close" data-key="Escape" onClick={close}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
    </aside>
  )
}

import type { Execution } from '@queue/client'
import { formatSpan } from '../ui/format.ts'
import styles from './job.module.css'

interface AttemptDiffProps {
  readonly left: Execution
  readonly right: Execution
}

/** Two attempts side by side: what is the same is muted, what differs stands out. */
export function AttemptDiff({ left, right }: AttemptDiffProps) {
  return (
    <div className={styles['diff']}>
      {(
        [
          [left, right],
          [right, left],
        ] as const
      ).map(([one, other]) => (
        <section key={one.lease_token} aria-label={`Attempt ${one.attempt}`}>
          <h3>
            #{one.attempt} {one.outcome}
          </h3>
          <p data-differs={one.worker_id !== other.worker_id}>{one.worker_id}</p>
          <p data-differs>ran {formatSpan(ranMs(one))}</p>
          <Lines text={one.error ?? ''} other={other.error ?? ''} />
        </section>
      ))}
    </div>
  )
}

function ranMs({ started_at: startedAt, finished_at: finishedAt }: Execution): number {
  return Date.parse(finishedAt) - Date.parse(startedAt)
}

function Lines({ text, other }: { readonly text: string; readonly other: string }) {
  const others = new Set(other.split('\n'))
  if (text === '') return <p>no error</p>
  return (
    <pre tabIndex={0} role="group" aria-label="Error">
      {text.split('\n').map((line, index) => (
        <span key={index} data-differs={!others.has(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

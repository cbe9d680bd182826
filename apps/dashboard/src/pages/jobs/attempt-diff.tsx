import { type WorkerVersions, useWorkerVersions } from '../../api/worker-versions.ts'
import { formatSpan } from '../../ui/format.ts'
import type { AttemptSpan } from './attempt-spans.ts'
import styles from './job.module.css'

interface AttemptDiffProps {
  readonly left: AttemptSpan
  readonly right: AttemptSpan
}

/** Two attempts side by side, with the differences highlighted. */
export function AttemptDiff({ left, right }: AttemptDiffProps) {
  const versions = useWorkerVersions()
  return (
    <div className={styles['diff']}>
      <Side one={left} other={right} versions={versions} />
      <Side one={right} other={left} versions={versions} />
    </div>
  )
}

interface SideProps {
  readonly one: AttemptSpan
  readonly other: AttemptSpan
  readonly versions: WorkerVersions
}

function Side({ one, other, versions }: SideProps) {
  const { attempt } = one
  const facts = factsOf(one, versions)
  const others = new Map(factsOf(other, versions))
  return (
    <section aria-label={`Attempt ${attempt.attempt}, compared`}>
      <h3>
        #{attempt.attempt} {attempt.outcome}
      </h3>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name} data-differs={others.get(name) !== value}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Lines text={attempt.error ?? ''} other={other.attempt.error ?? ''} />
    </section>
  )
}

function factsOf({ attempt, waitedMs, ranMs }: AttemptSpan, versions: WorkerVersions) {
  return [
    ['Worker', attempt.worker_id],
    ['Version', versions.get(attempt.worker_id) ?? 'unknown (worker no longer registered)'],
    ['Waited', formatSpan(waitedMs)],
    ['Ran', formatSpan(ranMs)],
  ] as const
}

function Lines({ text, other }: { readonly text: string; readonly other: string }) {
  const others = new Set(other.split('\n'))
  if (text === '') return <p>No error</p>
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

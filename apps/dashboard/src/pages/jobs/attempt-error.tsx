import { Button } from '../../ui/controls.tsx'
import { formatSpan } from '../../ui/format.ts'
import { Stack } from '../../ui/stack.tsx'
import ui from '../../ui/ui.module.css'
import type { AttemptSpan } from './attempt-spans.ts'
import styles from './job.module.css'

interface AttemptErrorProps {
  readonly shown: AttemptSpan
  /** The previous attempt; undefined for the first one. */
  readonly previous: AttemptSpan | undefined
  readonly compare: (previous: AttemptSpan) => void
}

/** One attempt with its full error, and a comparison if the error differs from the previous attempt. */
export function AttemptError({ shown, previous, compare }: AttemptErrorProps) {
  const { attempt, waitedMs, ranMs } = shown
  const hasChanged = previous !== undefined && previous.attempt.error !== attempt.error
  return (
    <section className={styles['attempt']} aria-label={`Attempt ${attempt.attempt}`}>
      <header>
        <h3>
          #{attempt.attempt} {attempt.outcome}
        </h3>
        <span className={ui['hint']}>
          Waited {formatSpan(waitedMs)}, ran {formatSpan(ranMs)} on {attempt.worker_id}
        </span>
        {hasChanged && (
          <Button onClick={() => compare(previous)}>Changed since #{previous.attempt.attempt}</Button>
        )}
      </header>
      {attempt.error === null ? <p>No error</p> : <Stack label="Error" text={attempt.error} />}
    </section>
  )
}

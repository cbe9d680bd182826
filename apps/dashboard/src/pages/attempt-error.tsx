import { Button } from '../ui/controls.tsx'
import { formatSpan } from '../ui/format.ts'
import { Stack } from '../ui/stack.tsx'
import ui from '../ui/ui.module.css'
import type { AttemptSpan } from './attempt-spans.ts'
import styles from './job.module.css'

interface AttemptErrorProps {
  readonly shown: AttemptSpan
  /** The attempt before it; undefined of the first. */
  readonly before: AttemptSpan | undefined
  readonly compare: (before: AttemptSpan) => void
}

/** One attempt, with its whole error, and whether that is another one than the one before had. */
export function AttemptError({ shown, before, compare }: AttemptErrorProps) {
  const { attempt, waitedMs, ranMs } = shown
  const hasChanged = before !== undefined && before.attempt.error !== attempt.error
  return (
    <section className={styles['attempt']} aria-label={`Attempt ${attempt.attempt}`}>
      <header>
        <h3>
          #{attempt.attempt} {attempt.outcome}
        </h3>
        <span className={ui['hint']}>
          waited {formatSpan(waitedMs)}, ran {formatSpan(ranMs)} in {attempt.worker_id}
        </span>
        {hasChanged && (
          <Button onClick={() => compare(before)}>Changed since #{before.attempt.attempt}</Button>
        )}
      </header>
      {attempt.error === null ? <p>no error</p> : <Stack label="Error" text={attempt.error} />}
    </section>
  )
}

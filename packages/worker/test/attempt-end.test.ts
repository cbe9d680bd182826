import { expect, test } from '@jest/globals'
import { recordLogger } from '@queue/test-database'
import { type AttemptEnd, createEndListener } from '../src/attempt-end.ts'
import { attemptOutcomes, noObserver } from '../src/observer.ts'

const thrown = new Error('no')

/** What the trace and the log are told of an attempt whose handler threw an error, and which is recorded with this outcome. */
function told(recorded: AttemptEnd['recorded']) {
  const logger = recordLogger()
  const ends: unknown[] = []
  const tell = createEndListener({
    reporting: { logger, observer: noObserver },
    counter: { ended: () => undefined },
  })
  tell({
    attempt: { job: { kind: 'k', queue: 'q', claimedAt: new Date() } },
    context: { logFields: {} },
    trace: { ended: (end: unknown) => void ends.push(end) },
    outcome: { kind: 'failed', error: thrown },
    recorded,
    durationMs: 1,
  } as unknown as AttemptEnd)
  return { ends, lines: logger.lines.map(({ level, message }) => `${level}: ${message}`) }
}

test('the error of a handler is that of a failed attempt only if the attempt is recorded as failed', () => {
  const failed = attemptOutcomes.filter((recorded) => told(recorded).lines.includes('warn: job failed'))
  expect(failed).toEqual(['retrying', 'failed_permanent', 'snoozed', 'error'])
  for (const recorded of attemptOutcomes) {
    const end = failed.includes(recorded) ? { outcome: recorded, error: thrown } : { outcome: recorded }
    expect(told(recorded).ends).toEqual([end])
  }
})

test('a handler that fails after its job has succeeded is in the log as such', () => {
  expect(told('succeeded').lines).toEqual(['warn: the job has succeeded, and its handler failed afterwards'])
  for (const recorded of ['cancelled', 'released'] as const)
    expect(told(recorded).lines).toEqual(['debug: job ended'])
})

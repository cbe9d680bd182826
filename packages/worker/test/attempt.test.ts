import type { ClaimedJob } from '@queue/core/internal'
import { AttemptAborted } from '@queue/executor'
import { describe, expect, test } from '@jest/globals'
import { Attempt } from '../src/attempt.ts'

const job = { id: 'some job' } as ClaimedJob

describe('the signal of an attempt', () => {
  test('is already aborted, with the reason, if it is first read after the abort', () => {
    const attempt = new Attempt(job)
    attempt.abort('shutdown')
    const { signal } = attempt
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toStrictEqual(new AttemptAborted('shutdown'))
  })

  test('is always the same object, and aborts once with the first reason', () => {
    const attempt = new Attempt(job)
    const { signal } = attempt
    attempt.abort('cancelled')
    attempt.abort('lease_lost')
    expect(attempt.signal).toBe(signal)
    expect(signal.reason).toStrictEqual(new AttemptAborted('cancelled'))
    expect(attempt.abortReason).toBe('cancelled')
  })
})

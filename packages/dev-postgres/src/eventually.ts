export interface EventuallyOptions {
  /** How long to poll, in milliseconds; default 120 000. It guards against hanging, and is no time limit under test. */
  readonly deadlineMs?: number
  /** The pause between two polls, in milliseconds; default 20. */
  readonly intervalMs?: number
  /** What is awaited, for the error message. */
  readonly what?: string
}

/**
 * Polls `probe` until it returns a truthy value, and resolves with that value. A probe that throws is polled again too, so
 * it can contain expectations. Throws at the deadline; the last error of the probe is the cause.
 */
export async function eventually<Answer>(
  probe: () => Answer | Promise<Answer>,
  options: EventuallyOptions = {},
): Promise<Truthy<Answer>> {
  const { deadlineMs = 120_000, intervalMs = 20, what = 'the condition' } = options
  const deadline = performance.now() + deadlineMs
  for (;;) {
    let cause: unknown
    try {
      const answer = await probe()
      if (answer) return answer as Truthy<Answer>
    } catch (error) {
      cause = error
    }
    if (performance.now() >= deadline)
      throw new Error(`${what} did not hold within ${deadlineMs} ms`, { cause })
    await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
}

type Truthy<Answer> = Exclude<Answer, undefined | null | false | 0 | '' | void>

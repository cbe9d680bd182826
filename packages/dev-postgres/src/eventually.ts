export interface EventuallyOptions {
  /** How long to go on asking, in milliseconds; default 120 000: a guard against hanging, not a law of time. */
  readonly deadlineMs?: number
  /** The pause between two questions, in milliseconds; default 20. */
  readonly intervalMs?: number
  /** What is waited for, for the message of the failure. */
  readonly what?: string
}

/**
 * Asks `probe` again and again until it answers something truthy, and gives that. A probe that throws is asked
 * again too, so that it may hold expectations; what it threw last is the cause of the failure at the deadline.
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

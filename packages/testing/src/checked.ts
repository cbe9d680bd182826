// What our own tests use too, with the options of its callers checked: a misspelt one would be ignored.
import { assertOptions, callback, either, number, optional, text } from '@queue/loop/arguments'
import {
  type DatabaseProxy,
  type DatabaseProxyOptions,
  eventually as poll,
  type EventuallyOptions,
  startDatabaseProxy as startProxy,
} from '@queue/test-database'

/**
 * Polls `probe` until it returns a truthy value, and resolves with that value. A probe that throws is polled again too, so
 * it can contain expectations. Throws at the deadline; the last error of the probe is the cause. Throws `invalid_options`
 * for an unknown option.
 */
export async function eventually<Answer>(
  probe: () => Answer | Promise<Answer>,
  options: EventuallyOptions = {},
): ReturnType<typeof poll<Answer>> {
  const ms = optional(number)
  assertOptions('eventually', options, {
    deadlineMs: ms,
    intervalMs: ms,
    what: optional(either(text, callback)),
  })
  return poll(probe, options)
}

/**
 * Starts a proxy that forwards bytes between clients and the server of `databaseUrl`. Throws `invalid_options` for an unknown
 * option.
 */
export async function startDatabaseProxy(
  databaseUrl: string,
  options: DatabaseProxyOptions = {},
): Promise<DatabaseProxy> {
  assertOptions('startDatabaseProxy', options, { port: optional(number), reader: optional(callback) })
  return startProxy(databaseUrl, options)
}

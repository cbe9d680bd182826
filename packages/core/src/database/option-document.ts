// The options of a job as a JSON document, with the names of their columns: schedules store them so, and edits send them so.
import type { JobOptionName } from '../domain/job-options.ts'
import { toSnakeCase } from '../domain/names.ts'
import { decodeRetryPolicy, encodeRetryPolicy, type RetryPolicy } from '../domain/retry.ts'
import type { JobColumn } from './table.ts'
import { tables } from './tables.ts'

const columns: Readonly<Record<string, JobColumn | undefined>> = tables.jobs.columns

interface Codec {
  readonly encode: (value: never) => unknown
  readonly decode: (stored: never) => unknown
}

const instant: Codec = {
  encode: (value: Date) => value.toISOString(),
  decode: (stored: string) => new Date(stored),
}

/** The options that JSON does not keep as they are. */
const codecs: { readonly [Name in JobOptionName]?: Codec } = {
  runAt: instant,
  expiresAt: instant,
  retryPolicy: { encode: (policy: RetryPolicy) => encodeRetryPolicy(policy), decode: decodeRetryPolicy },
}

/** These options, in the names of the columns. Those that are undefined are left out. */
export function encodeOptions<Name extends JobOptionName>(
  values: { readonly [Of in Name]?: unknown },
  names: readonly Name[],
): Record<string, unknown> {
  const given = names.filter((name) => values[name] !== undefined)
  return Object.fromEntries(given.map((name) => [toSnakeCase(name), encoded(name, values[name])]))
}

function encoded(name: JobOptionName, value: unknown): unknown {
  return value === null ? null : (codecs[name]?.encode(value as never) ?? value)
}

/** These options, from a document. One that it lacks has the value that NULL stands for in its column. */
export function decodeOptions<Name extends JobOptionName>(
  document: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { readonly [Of in Name]: unknown } {
  return Object.fromEntries(
    names.map((name) => [name, decoded(name, document[toSnakeCase(name)] ?? null)]),
  ) as {
    readonly [Of in Name]: unknown
  }
}

function decoded(name: JobOptionName, stored: unknown): unknown {
  if (stored === null) return columns[toSnakeCase(name)]?.nullMeans ?? null
  const codec = codecs[name]
  return codec === undefined ? stored : codec.decode(stored as never)
}

import { sqlStateOf } from '@queue/postgres'

/** How many levels deep a PostgreSQL error is searched for: libraries wrap it in errors of their own. */
const depthMax = 5

/** PostgreSQL's own error inside that of a library; the library's error where there is none. */
export function driverError(error: unknown): unknown {
  let inner = error
  for (let depth = 0; depth < depthMax; depth += 1) {
    if (sqlStateOf(inner) !== undefined) return inner
    inner = causeOf(inner)
  }
  return error
}

function causeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  if ('cause' in error) return error.cause
  return 'meta' in error ? driverAdapterErrorOf(error.meta) : undefined
}

/** The place where Prisma keeps the error of its driver. */
function driverAdapterErrorOf(meta: unknown): unknown {
  return typeof meta === 'object' && meta !== null && 'driverAdapterError' in meta
    ? meta.driverAdapterError
    : undefined
}

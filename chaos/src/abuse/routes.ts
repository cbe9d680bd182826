import { readFile } from 'node:fs/promises'

/** One request that an abuser repeats. */
export interface AbusedRoute {
  /** As in the OpenAPI document: `GET /jobs/{id}`. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

const document = new URL('../../../apps/api/openapi.json', import.meta.url)

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const email = { kind: 'send_email', payload: { to: 'a@example.com', subject: 's', body: 'b' } }

/** Bodies that make the API work. Other routes get an empty object, which they refuse. */
const bodies: Readonly<Record<string, unknown>> = {
  'POST /jobs': { ...email, queue: 'abused' },
  'POST /jobs/batch': { jobs: Array.from({ length: 100 }, () => ({ ...email, queue: 'abused' })) },
  'POST /jobs/cancel': { filter: { kind: 'none' }, dry_run: true },
  'POST /jobs/requeue': { filter: { kind: 'none' }, dry_run: true },
  'POST /jobs/delete': { filter: { kind: 'none' }, rate: 1 },
  'POST /jobs/erase': { filter: { kind: 'none' }, dry_run: true },
  'POST /dead-letters/requeue': { dry_run: true },
}

/** Routes with a parameter that makes them read more than without it. */
const queries: Readonly<Record<string, string>> = {
  'GET /jobs': '?kind=none',
  'GET /jobs/{id}/events': '?logs=debug',
  'GET /audit': '?actor=none',
}

/** Every route of the API. `id` is the id of an existing job, and `queue` the name of its queue. */
export async function abusedRoutes({
  id,
  queue,
}: {
  readonly id: string
  readonly queue: string
}): Promise<AbusedRoute[]> {
  const { paths } = JSON.parse(await readFile(document, 'utf8')) as OpenApi
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((lower) => {
      const method = lower.toUpperCase()
      const name = `${method} ${path}`
      const filled = path
        .replaceAll('{id}', id)
        .replaceAll('{name}', queue)
        .replaceAll(/\{\w+\}/g, 'none')
      const body = method === 'GET' || method === 'DELETE' ? undefined : JSON.stringify(bodies[name] ?? {})
      return { name, method, path: `${filled}${queries[name] ?? ''}`, body }
    }),
  )
}

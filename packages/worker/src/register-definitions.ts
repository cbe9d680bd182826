import { hostname } from 'node:os'
import { type ConnectedDatabase, limits, type PgClient, type RegisteredKind } from '@queue/core'
import { describeConflict, registerKinds, registrationsOf } from '@queue/core/workers'
import type { Executor } from '@queue/executor'
import type { Logger } from '@queue/loop'
import type { WorkerSettings } from './options.ts'

export interface RegisterDefinitionsOptions {
  readonly database: ConnectedDatabase
  readonly executor: Required<Pick<Executor<PgClient>, 'definitions'>>
  readonly settings: Pick<WorkerSettings, 'kindChanges' | 'idPrefix'>
  readonly logger: Logger
}

/**
 * Registers the kinds that this worker has definitions of, so that the API takes them. What the registry refuses or keeps
 * is logged: the handlers check payloads by their own schemas all the same.
 */
export async function registerDefinitions(options: RegisterDefinitionsOptions): Promise<void> {
  const { database, executor, settings, logger } = options
  const registrations = executor.definitions.flatMap(registrationsOf)
  const automatic = process.env['NODE_ENV'] === 'production' ? 'refuse' : 'replace'
  const changes = settings.kindChanges === 'auto' ? automatic : settings.kindChanges
  const by = `${settings.idPrefix}-${hostname()}`
  for (let first = 0; first < registrations.length; first += limits.registerKindsMax) {
    const some = registrations.slice(first, first + limits.registerKindsMax)
    const policy = { by, changes, onConflict: 'skip' } as const
    const registered = await database.transaction((inside) => registerKinds(inside, some, policy))
    for (const one of registered) logRegistered(logger, one)
  }
}

function logRegistered(logger: Logger, { kind, version, outcome, ...more }: RegisteredKind): void {
  const fields = { kind, version }
  const paths = more.changedPaths.map((path) => (path === '' ? '(root)' : path))
  if (more.conflict !== undefined)
    logger.error(`a kind was not registered: ${describeConflict(more.conflict)}`, fields)
  if (outcome === 'replaced' && paths.length > 0) {
    logger.warn('the schema of a kind was replaced: a change that refuses old payloads needs a new version', {
      ...fields,
      paths,
    })
  }
  if (outcome === 'new' && more.unsaid.length > 0) {
    logger.warn(
      'the API checks less of this kind than its handler: JSON Schema cannot say what is asked at these paths',
      {
        ...fields,
        paths: more.unsaid.map((path) => (path === '' ? '(root)' : path)),
      },
    )
  }
}

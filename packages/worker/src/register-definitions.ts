import { hostname } from 'node:os'
import { limits, type RegisteredKind } from '@queue/core'
import {
  type ConnectedDatabase,
  describeConflict,
  type PgConnection,
  registerKinds,
  registrationsOf,
  versionedKind,
} from '@queue/core/internal'
import type { Executor } from '@queue/executor'
import type { Logger } from '@queue/loop'
import type { WorkerSettings } from './options.ts'

export interface RegisterDefinitionsOptions {
  readonly database: ConnectedDatabase
  readonly executor: Required<Pick<Executor<PgConnection>, 'definitions'>>
  readonly settings: Pick<WorkerSettings, 'kindChanges' | 'idPrefix'>
  readonly logger: Logger
  /** Gets the versions whose registration is refused, under each name of their kind. */
  readonly refusedVersions: Set<string>
}

/**
 * Registers the kinds whose definitions this worker has, so that the API accepts them. Registrations that the registry refuses
 * are logged and remembered: the handlers check payloads by their own schemas, and jobs that do not fit them wait.
 */
export async function registerDefinitions(options: RegisterDefinitionsOptions): Promise<void> {
  const { database, executor, settings, logger } = options
  options.refusedVersions.clear()
  const registrations = executor.definitions.flatMap(registrationsOf)
  const automatic = process.env['NODE_ENV'] === 'production' ? 'refuse' : 'replace'
  const changes = settings.kindChanges === 'auto' ? automatic : settings.kindChanges
  const by = `${settings.idPrefix}-${hostname()}`
  for (let first = 0; first < registrations.length; first += limits.registerKindsMax) {
    const batch = registrations.slice(first, first + limits.registerKindsMax)
    const policy = { by, changes, onConflict: 'skip' } as const
    const registeredKinds = await database.transaction((transaction) =>
      registerKinds(transaction, batch, policy),
    )
    for (const kind of registeredKinds) {
      logRegistered(logger, kind)
      if (kind.outcome === 'refused') noteRefused(kind, options)
    }
  }
}

function noteRefused(
  { kind, version }: RegisteredKind,
  { executor: { definitions }, refusedVersions }: RegisterDefinitionsOptions,
): void {
  const aliases = definitions.flatMap((definition) => (definition.kind === kind ? definition.aliases : []))
  for (const name of [kind, ...aliases]) refusedVersions.add(versionedKind(name, version))
}

function logRegistered(logger: Logger, { kind, version, outcome, ...more }: RegisteredKind): void {
  const fields = { kind, version }
  const paths = more.changedPaths.map((path) => (path === '' ? '(root)' : path))
  if (more.conflict !== undefined)
    logger.error(`a kind was not registered: ${describeConflict(more.conflict)}`, fields)
  if (outcome === 'replaced' && paths.length > 0) {
    logger.warn(
      'the schema of a kind was replaced; if it now rejects payloads of queued jobs, add a version',
      {
        ...fields,
        paths,
      },
    )
  }
  if (outcome === 'new' && more.unsaid.length > 0) {
    logger.warn(
      'the API checks less of this kind than its handler: JSON Schema cannot express the rules at these paths',
      {
        ...fields,
        paths: more.unsaid.map((path) => (path === '' ? '(root)' : path)),
      },
    )
  }
}

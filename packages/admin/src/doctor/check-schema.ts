import {
  alignStatements,
  buildIndex,
  comparePrivileges,
  differentCure,
  differentReason,
  lackingPrivileges,
  type Migration,
  type MigrationSet,
  objectKey,
  quoted,
  readCatalog,
  readSchemaVersion,
  type RunnerClient,
  wantedPrivileges,
} from '@queue/postgres'
import { queueAccess } from '@queue/core/internal'
import {
  type Check,
  type CheckContext,
  type CheckOf,
  countText,
  type Finding,
  problem,
  ok,
  rowsOf,
} from './finding.ts'

/** Whether this release can run on the schema. */
export const checkVersion: CheckOf<RunnerClient> = async (context) => {
  const { upCommand } = context.migrationSet
  const version = await readSchemaVersion(context)
  const { status, databaseVersion, codeVersion, minCode } = version
  const details = {
    version: databaseVersion,
    code_version: codeVersion,
    min_code: status === 'missing' ? null : minCode,
  }
  switch (status) {
    case 'compatible':
      return ok(`version ${databaseVersion}, this release ${codeVersion}`, details)
    case 'missing':
      return missingSchema(context.migrationSet, details)
    case 'older':
      return problem('failure', {
        message: `the schema is at version ${databaseVersion}, but this release needs ${codeVersion}`,
        cure: `run ${upCommand}`,
        details,
      })
    case 'newer':
      return problem('failure', {
        message: `the schema is at version ${databaseVersion}, which is too new for this release (${codeVersion})`,
        cure: 'deploy a release that is as new as the schema',
        details,
      })
    case 'different':
      return problem('failure', {
        message: differentReason(version),
        cure: differentCure(upCommand),
        details,
      })
  }
}

/** No step was applied: the name of the schema may be wrong. */
export function missingSchema({ name, upCommand }: MigrationSet, details: Finding['details'] = {}): Finding {
  return problem('failure', {
    message: `the ${name} does not exist`,
    cure: `run ${upCommand}, or correct ${name.toUpperCase()}_SCHEMA`,
    details,
  })
}

/** The names of the indexes of the queue's tables, including those of constraints. */
export const ownIndexes: readonly string[] = [
  'jobs_pkey',
  'jobs_claim_idx',
  'jobs_lane_idx',
  'jobs_keyed_idx',
  'jobs_status_idx',
  'jobs_tenant_idx',
  'jobs_tenant_live_idx',
  'jobs_locked_by_idx',
  'jobs_idempotency_idx',
  'jobs_expires_idx',
  'ended_jobs_pkey',
  'ended_jobs_tenant_idx',
  'ended_days_pkey',
  'job_executions_pkey',
  'job_logs_pkey',
  'job_errors_pkey',
  'job_error_days_pkey',
  'job_error_days_day_idx',
  'job_stats_pkey',
  'job_stats_tenant_idx',
  'job_stats_series_pkey',
  'job_metadata_pkey',
  'job_metadata_tenants_idx',
  'requeued_jobs_pkey',
  'dead_letter_jobs_pkey',
  'dead_letter_jobs_job_id_key',
  'dead_letter_jobs_dead_lettered_at_idx',
  'dead_letter_jobs_tenant_idx',
  'dead_letter_jobs_fingerprint_idx',
  'workers_pkey',
  'queues_pkey',
  'api_keys_pkey',
  'api_keys_replaces_key',
  'api_key_revocations_pkey',
  'api_key_buckets_pkey',
  'api_sessions_pkey',
  'audit_log_pkey',
  'audit_log_target_idx',
  'audit_log_at_idx',
  'audit_log_job_ids_idx',
  'schedules_pkey',
  'schedules_due_idx',
  'schedule_sources_pkey',
  'job_kinds_pkey',
  'job_unique_slots_pkey',
  'operations_pkey',
  'operations_id_key',
  'operations_running_idx',
  'operations_finished_idx',
  'limits_pkey',
  'limit_counters_pkey',
  'waiting_counts_pkey',
  'lanes_pkey',
  'lanes_ready_idx',
  'lanes_full_idx',
  'lanes_fair_idx',
  'lane_turns_pkey',
  'lane_turns_idx',
  'lane_events_due_idx',
  'lane_events_first_idx',
  'migrations_pkey',
]

/** Whether every index exists and is valid. Without it, a statement scans the whole table on each call. */
export const checkIndexes: Check = async (context) => {
  const indexes = await rowsOf<{ name: string; valid: boolean }>(
    context,
    `SELECT i.relname::text AS name, x.indisvalid AND x.indisready AS valid
       FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid
      WHERE i.relnamespace = to_regnamespace($1)`,
    [quoted(context.schema)],
  )
  if (indexes.length === 0)
    return problem('skipped', { message: 'the queue does not exist', cure: 'see schema_version' })
  const missing = ownIndexes.filter((name) => !indexes.some((index) => index.name === name))
  const invalid = indexes.filter(({ valid }) => !valid).map(({ name }) => name)
  const details = { missing, invalid }
  if (missing.length + invalid.length === 0)
    return ok(`all ${ownIndexes.length} exist and are valid`, details)
  const remedies = [
    ...missing.map((name) => createStatement(context, name)),
    ...invalid.map((name) => repairStatement(context, name)),
  ]
  const message = [
    ...missing.map((name) => `${name} is missing`),
    ...invalid.map((name) => `${name} is invalid`),
  ].join(', ')
  const harmless = missing.length === 0 && !invalid.some((name) => ownIndexes.includes(name))
  return problem(harmless ? 'warning' : 'failure', { message, cure: remedies.join(' '), details })
}

/** The statements of a step that may create an index. */
function indexStatements(step: Migration, schema: string): string[] {
  switch (step.type) {
    case 'transactional':
      return step.up(quoted(schema)).map(({ sql }) => sql)
    case 'concurrent':
      return [buildIndex(schema, step.index)]
    case 'batched':
      return []
  }
}

/** The statement of the migration that creates the index, changed so that it does not block writes where that is possible. */
function createStatement({ schema, migrationSet }: CheckContext, name: string): string {
  const createsIndex = new RegExp(`^CREATE (UNIQUE )?INDEX (CONCURRENTLY )?${name} ON `)
  const statement = migrationSet.steps
    .flatMap((step) => indexStatements(step, schema))
    .find((sql) => createsIndex.test(sql))
  if (statement === undefined) return `restore the constraint ${name} as the migrations define it.`
  // PostgreSQL builds no index of a partitioned table concurrently.
  const how = / ON \S+\.ended_jobs /.test(statement) ? ' INDEX ' : ' INDEX CONCURRENTLY '
  return `${statement.replace(/ INDEX (CONCURRENTLY )?/, how).replaceAll(/\s+/g, ' ')};`
}

/**
 * The statement that repairs an invalid index. One that neither the migrations create nor a day of ended jobs has was left by an
 * interrupted REINDEX or CREATE INDEX CONCURRENTLY, and can be dropped.
 */
function repairStatement({ schema }: CheckContext, name: string): string {
  const isOfDay = /^ended_jobs_\d{8}_(?:pkey|tenant_id_id_idx)$/.test(name)
  const verb = isOfDay || ownIndexes.includes(name) ? 'REINDEX' : 'DROP'
  return `${verb} INDEX CONCURRENTLY ${quoted(schema)}."${name.replaceAll('"', '""')}";`
}

/** Whether the roles that were set up have exactly the privileges of the access matrix. */
export const checkRoles: Check = async (context) => {
  const { schema, roles } = context
  const catalog = await readCatalog({ ...context, access: queueAccess }, Object.values(roles))
  const rolesWithUsage = new Set(
    catalog.held.filter(({ kind }) => kind === 'schema').map(({ grantee }) => grantee),
  )
  const setUp = Object.values(roles).filter((name) => rolesWithUsage.has(name))
  if (setUp.length === 0) {
    return ok('no roles are set up: the processes connect as the owner or with grants made by hand', {
      set_up: [],
    })
  }
  const needed = wantedPrivileges(queueAccess, schema, roles).filter(
    (privilege) => rolesWithUsage.has(privilege.grantee) && catalog.objects.has(objectKey(privilege)),
  )
  const superusers = await superusersAmong(context, setUp)
  const details = {
    set_up: setUp,
    missing: alignStatements({ missing: lackingPrivileges(catalog.held, needed), surplus: [] }),
    surplus: alignStatements({ missing: [], surplus: comparePrivileges(catalog.held, needed).surplus }),
    superusers,
  }
  return describeRoles(details)
}

function describeRoles(details: {
  readonly set_up: string[]
  readonly missing: string[]
  readonly surplus: string[]
  readonly superusers: string[]
}): Finding {
  const { set_up, missing, surplus, superusers } = details
  if (missing.length > 0) {
    return problem('failure', {
      message: `the roles lack privileges that they need: ${missing.join(' ')}`,
      cure: 'run queue-migrate roles (--plan shows what it does)',
      details,
    })
  }
  if (superusers.length > 0) {
    return problem('warning', {
      message: `these roles are superusers, so no grant limits what they may do: ${superusers.join(', ')}`,
      cure: 'ALTER ROLE … NOSUPERUSER',
      details,
    })
  }
  if (surplus.length === 0) return ok(`exactly the needed privileges: ${set_up.join(', ')}`, details)
  return problem('warning', {
    message: `the roles have privileges that they do not need (${countText(surplus.length, 'statement')} would revoke them)`,
    cure: 'when no process of an older release runs, run queue-migrate roles (--plan shows what it does)',
    details,
  })
}

async function superusersAmong(context: CheckContext, names: readonly string[]): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    context,
    'SELECT rolname::text AS name FROM pg_roles WHERE rolsuper AND rolname = ANY($1::text[]) ORDER BY rolname',
    [names],
  )
  return rows.map(({ name }) => name)
}

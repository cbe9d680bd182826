// The views through which a tenant's requests reach the tables. They show only the rows of one tenant, and accept no
// others.
import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryId,
  SchemableIdentifierNode,
  type SchemableIdentifierNode as Schemable,
  sql,
} from 'kysely'
import type { SchemaNames } from './schema-names.ts'

/** The setting that names the tenant of a transaction. Where it is not set, the views show no rows and accept none. */
export const tenantSetting = 'queue.tenant'

/**
 * The tenant of a transaction, in SQL; null without one, so that every comparison with it fails. After a transaction
 * that has named a tenant PostgreSQL leaves the empty text in the session, which is how some tables store that a row
 * belongs to no tenant.
 */
export const currentTenant = `nullif(current_setting('${tenantSetting}', true), '')`

/** The view that replaces each table. A table without one is not accessible to tenants. */
const viewOf: Readonly<Record<string, string>> = {
  jobs: 'tenant_jobs',
  job_executions: 'tenant_job_executions',
  dead_letter_jobs: 'tenant_dead_letter_jobs',
  job_metadata: 'tenant_job_metadata',
  job_unique_slots: 'tenant_job_unique_slots',
}

/** The names of a schema, with the tenant views in place of the tables. */
export function tenantNames(names: SchemaNames, schema: string): SchemaNames {
  const tenant = cache.get(names) ?? {
    ...names,
    db: names.db.withPlugin(throughViews),
    jobs: sql.id(schema, 'tenant_jobs'),
    allJobs: sql.id(schema, 'tenant_all_jobs'),
    executions: sql.id(schema, 'tenant_job_executions'),
    logs: sql.id(schema, 'tenant_job_logs'),
    errors: sql.id(schema, 'tenant_job_errors'),
    errorDays: sql.id(schema, 'tenant_job_error_days'),
    stats: sql.id(schema, 'tenant_job_stats'),
    deadLetters: sql.id(schema, 'tenant_dead_letter_jobs'),
    requeuedJobs: sql.id(schema, 'tenant_requeued_jobs'),
    jobMetadata: sql.id(schema, 'tenant_job_metadata'),
    uniqueSlots: sql.id(schema, 'tenant_job_unique_slots'),
    jobLists: [sql.id(schema, 'tenant_job_list')],
    deadLetterList: sql.id(schema, 'tenant_dead_letter_list'),
    auditLog: sql.id(schema, 'tenant_audit_log'),
    enqueueJobs: sql.id(schema, 'tenant_enqueue_jobs'),
    operations: sql.id(schema, 'tenant_operations'),
    laneEvents: sql.id(schema, 'tenant_lane_events'),
    behindViews: true,
  }
  cache.set(names, tenant)
  return tenant
}

/** One object for each schema, because the templates of statements are cached by it. */
const cache = new WeakMap<SchemaNames, SchemaNames>()

class ThroughViews extends OperationNodeTransformer {
  protected override transformSchemableIdentifier(node: Schemable, queryId?: QueryId): Schemable {
    const transformed = super.transformSchemableIdentifier(node, queryId)
    const view = viewOf[transformed.identifier.name]
    // Only tables are named with their schema.
    if (transformed.schema === undefined || view === undefined) return transformed
    return SchemableIdentifierNode.createWithSchema(transformed.schema.name, view)
  }
}

const transformer = new ThroughViews()

/** Makes the builder's statements use the views. */
const throughViews: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
  transformResult: async ({ result }) => result,
}

/** The schemas and encodings of a job's fields, for the API, the worker and the outbox. */
export { createIdMint, type MintIds } from './database/id-mint.ts'
export { instantParameter } from './database/instant.ts'
export { createRequest, parseOrThrow } from './domain/job-definition.ts'
export { hidePayload, mask, membersOf, selectParts, SensitiveParts } from './domain/sensitive-parts.ts'
export { sensitiveOf } from './domain/payload-upgrade.ts'
export { decodeKindDefaults, kindDefaultsSchema } from './domain/kind-defaults.ts'
export { type KindVersion, kindVersionsOf } from './domain/kind-versions.ts'
export { absentParts } from './domain/payload-schema.ts'
export { kindRule, queueRule } from './enqueue/enqueue-parameters.ts'
export { checkPayload, schemaRule, type Refused, type StoredPayload } from './domain/payload.ts'
export { parseVersionedKind, versionedKind } from './domain/kind-version.ts'
export { parsePayload, versionsOf } from './domain/payload-upgrade.ts'
export { keptPointers, sensitiveSchema } from './domain/sensitive.ts'
export { isJobId, smallestJobIdAt } from './domain/job-id.ts'
export { fingerprintSchema, fingerprintsSchema } from './domain/fingerprint.ts'
export { cancelReasons, executionOutcomes, jobFields } from './domain/job.ts'
export {
  type JobOptionName,
  type JobOptionPlace,
  jobOptions,
  type OptionIn,
  type OptionSchema,
  type OptionsIn,
  optionsIn,
} from './domain/job-options.ts'
export { encodeLogCursor, isLogCursor, logLevels } from './domain/log-line.ts'
export { uniqueFaults, uniqueFields, type UniqueOptions } from './domain/unique.ts'
export { bytesBeyond, canonicalJson, findJsonFault, writtenOutBytes } from './domain/json.ts'
export { metadataError, metadataNamePattern, metadataNameSchema } from './domain/metadata.ts'
export type { OptionsOf } from './domain/options-of.ts'
export {
  decodeRetryPolicy,
  defaultRetryPolicy,
  encodeRetryPolicy,
  type Random,
  retryDelayMs,
  retryPolicyWireSchema,
} from './domain/retry.ts'
export { isTraceparent, traceIdOf } from './domain/trace-context.ts'
export { limitFields } from './flow/limit-rule.ts'
export { traceEnqueues } from './enqueue/enqueue-tracing.ts'
export { jobFilterFields } from './reads/job-filter.ts'
export { allFields, assertSelects, parseActFilter } from './acts/assert-selects.ts'
export { manyOptionFields } from './acts/acts-on-many.ts'
export { operationActs, operationStates } from './database/operation-tables.ts'
export { scheduleFields } from './schedules/definition.ts'
export { attentionConditions, attentionSeverities } from './insight/attention.ts'
export { errorGroupings, errorSorts } from './insight/list-errors.ts'
export { startUnknownReasons } from './insight/expected-start.ts'
export { reasonCodes } from './insight/reason.ts'
export { statsGroupings, statsSteps } from './insight/read-stats.ts'

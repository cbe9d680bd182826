/** The operator's tasks for a queue and an outbox: diagnosis, roles, API keys, and the steps after a restore. */
export type { RolesGoal, RolesOptions, RolesReport } from '@queue/postgres'
export { diagnoseOutbox, type DiagnoseOutboxOptions, outboxChecks } from './doctor/diagnose-outbox.ts'
export {
  type CheckName,
  type CheckOptions,
  diagnose,
  diagnoseOn,
  type DiagnoseOptions,
  type Diagnosis,
  type NamedFinding,
} from './doctor/diagnose.ts'
export type { Finding, FindingStatus } from './doctor/finding.ts'
export { worstStatus } from './doctor/run-checks.ts'
export {
  afterRestore,
  type AfterRestoreOptions,
  afterRestorePlan,
  type AfterRestoreReport,
} from './restore/after-restore.ts'
export type { RunningJob, WaitingJobs } from './restore/runs-again.ts'
export {
  createKey,
  type CreateKeyRequest,
  type MintedKey,
  mintKey,
  rotateKey,
} from './keys/manage-keys.ts'
export { loadDefinitions } from './load-definitions.ts'
export { applyRoles, rolesPlan } from './roles.ts'

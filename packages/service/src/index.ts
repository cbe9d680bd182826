/**
 * The common parts of every deployed process: configuration, exit codes, waiting for the database, signals, draining.
 */
export { announceReady, type ReadyMessage } from './announce-ready.ts'
export { closeAtExit } from './close-at-exit.ts'
export { closeHttpServer, type CloseHttpServerOptions } from './close-http-server.ts'
export type { BindAddress } from './config/bind-address.ts'
export { ConfigError, type ExitCode, exitCodes, ExitError } from './exit-code.ts'
export { parseConfig } from './config/parse-config.ts'
export type { Environment } from './config/read-text.ts'
export {
  bindAddress,
  databaseUrl,
  databaseVariables,
  logVariables,
  poolVariables,
  schemaName,
  secret,
} from './config/shared-variables.ts'
export { canListen, cannotListen, workerVariables } from './config/worker-variables.ts'
export { type ConfigSchema, type VariableDescription, variablesOf } from './config/variable.ts'
export { explainError } from './explain-error.ts'
export { environmentHelp, helpText, type ProgramDescription } from './help-text.ts'
export { keepConnection, limitConnections } from './limit-connections.ts'
export { type ListenOptions, listen, type ListeningAddress } from './listen.ts'
export { hostNameOf, isLoopbackHost } from './loopback.ts'
export { createReadiness, type Readiness, type ReadinessOptions, type ReadinessReport } from './readiness.ts'
export { readVersion } from './versions.ts'
export { releaseIdleMemory } from './release-idle-memory.ts'
export { type Answer, type LogConfig, type MainContext, type Program, runMain } from './run-main.ts'
export {
  runWorker,
  type RunWorkerOptions,
  type RunnableWorker,
  type WorkerSurroundings,
} from './run-worker.ts'
export { SchemaVersionError, waitForSchema, type WaitForSchemaOptions } from './wait-for-schema.ts'
export { serveWorker, type WorkerProgram } from './serve-worker.ts'
export { type OpsServer, type OpsServerOptions, startOpsServer } from './start-ops-server.ts'
export { waitForAbort } from './until-aborted.ts'
export { serveInOrder } from './serve-in-order.ts'
export { type NamedDatabase, outboxDatabase } from './database-refusal.ts'
export { waitWhileUnavailable, type WaitWhileUnavailableOptions } from './wait-while-unavailable.ts'

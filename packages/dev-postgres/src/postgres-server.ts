/** The origin of a server: a configured URL, a container, or an embedded server process. */
export type PostgresServerKind = 'given' | 'container' | 'embedded'

/** A running PostgreSQL server for development and tests. */
export interface PostgresServer {
  /** Connection URL of a maintenance database, with the password. Its role may create databases. */
  readonly url: string
  readonly kind: PostgresServerKind
  /** Stops a server that `acquireServer` started, and waits until it has ended. A given server keeps running. Idempotent. */
  stop(): Promise<void>
}

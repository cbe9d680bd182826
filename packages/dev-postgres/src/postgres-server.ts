/** Where a server came from: a URL we were given, a container, or a server process of our own. */
export type PostgresServerKind = 'given' | 'container' | 'embedded'

/** A running PostgreSQL server for development and tests. */
export interface PostgresServer {
  /** Connection URL of a maintenance database, as a role that may create databases. Contains the password. */
  readonly url: string
  readonly kind: PostgresServerKind
  /** Stops what `acquireServer` started, and waits until it is gone. A given server is left alone. Idempotent. */
  stop(): Promise<void>
}

import pg from 'pg'
import { QueueError } from '../errors.ts'
import { sqlStateOf } from '../pg-error.ts'
import { type Acceptance, parseServers, type Servers } from './servers.ts'
import { queryWithin } from './timed-query.ts'

/**
 * A node-postgres client for a connection string that may name several hosts; node-postgres itself knows one. It connects
 * to the first host that is what `target_session_attrs` demands, by default one that takes writes. A pool takes it as its
 * `Client`.
 *
 * Each connection looks for that host again, over a separate connection: a node-postgres client can connect only once, so
 * it must not try an unsuitable host. Clients that connect at the same time share a search. The host that was found last
 * is tried first, so that an old primary is not chosen again because it comes earlier in the list. A string with one host
 * and without the parameter needs no search.
 *
 * Throws `invalid_options` for a malformed string. Connecting fails as with node-postgres, and with the code EHOSTUNREACH
 * when none of several hosts is suitable.
 */
export class MultiHostClient extends pg.Client {
  readonly #locate: (() => Promise<Address>) | undefined

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString } = config
    const servers = connectionString === undefined ? undefined : serversOf(connectionString)
    const [first] = servers?.urls ?? []
    super(first === undefined ? config : reachedBy(config, first))
    if (servers === undefined || connectionString === undefined || first === connectionString) return
    this.#locate = () => searchOf(connectionString, servers).run(config)
  }

  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error | null) => void): void
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | void {
    const located = this.#locate?.()
    if (located === undefined) return callback === undefined ? super.connect() : super.connect(callback)
    if (callback === undefined) {
      return located.then((address) => {
        this.#goTo(address)
        return super.connect()
      })
    }
    // A pool passes a callback, in which it begins to listen for errors. If it were called any later than by node-postgres,
    // the end of a new connection could end the process.
    located.then((address) => {
      this.#goTo(address)
      // oxlint-disable-next-line promise/no-callback-in-promise -- a pool passes a callback.
      super.connect(callback)
    }, callback)
  }

  /** node-postgres reads both when it connects. */
  #goTo(address: Address): void {
    Object.assign(this, address)
  }
}

/** The servers of a connection string. Throws `invalid_options` when they are malformed. */
export function serversOf(connectionString: string): Servers {
  const servers = parseServers(connectionString)
  if ('fault' in servers) throw new QueueError('invalid_options', `the connection string ${servers.fault}`)
  return servers
}

/** In the terms of node-postgres. */
interface Address {
  readonly host: string
  readonly port: number
}

interface Failure extends Address {
  readonly reason: string
}

/** Finds a suitable server of a connection string. */
interface Search {
  /** Callers share a search that is under way. */
  run(config: pg.ClientConfig): Promise<Address>
}

/** One for each connection string in this process, shared by the pool and the listener. */
const searches = new Map<string, Search>()

function searchOf(connectionString: string, servers: Servers): Search {
  const search = searches.get(connectionString) ?? createSearch(servers)
  searches.set(connectionString, search)
  return search
}

function createSearch({ urls, accept }: Servers): Search {
  let ordered = urls
  let running: Promise<Address> | undefined

  // All servers together get the time of one connection.
  const search = async (config: pg.ClientConfig): Promise<Address> => {
    const failures: Failure[] = []
    const timeoutMs = Math.ceil((config.connectionTimeoutMillis || connectTimeoutMsDefault) / urls.length)
    for (const url of ordered) {
      const client = new pg.Client(checkConfig(config, url, timeoutMs))
      const { host, port } = client
      try {
        await checkServer(client, accept, timeoutMs)
        ordered = [url, ...urls.filter((other) => other !== url)]
        return { host, port }
      } catch (error) {
        if (isRefused(error)) throw error
        failures.push({ host, port, reason: reasonOf(error) })
      }
    }
    throw noServer(failures)
  }

  return {
    run: (config) => {
      running ??= search(config).finally(() => (running = undefined))
      return running
    },
  }
}

/** For a client without a limit: a silent server must not keep it from the next one. */
const connectTimeoutMsDefault = 10_000

function checkConfig(config: pg.ClientConfig, url: string, timeoutMs: number): pg.ClientConfig {
  return {
    ...reachedBy(config, url),
    connectionTimeoutMillis: timeoutMs,
    application_name: 'queue-host-check',
  }
}

/** The password is copied by name, because a pool makes it not enumerable. */
function reachedBy(config: pg.ClientConfig, connectionString: string): pg.ClientConfig {
  const { password } = config
  return { ...config, connectionString, ...(password === undefined ? {} : { password }) }
}

/** True where the server is suitable. The transactions of a standby are read-only as well. */
const checkStatements: Readonly<Record<Acceptance, string>> = {
  any: 'SELECT true AS suits',
  'read-write': `SELECT pg_catalog.current_setting('transaction_read_only') = 'off' AS suits`,
  primary: 'SELECT NOT pg_catalog.pg_is_in_recovery() AS suits',
}

/** Why a server is not suitable. */
const mismatches: Readonly<Record<Acceptance, string>> = {
  any: '',
  'read-write': 'takes no writes',
  primary: 'is a standby',
}

/** Resolves when the server answers and is suitable. */
async function checkServer(client: pg.Client, accept: Acceptance, timeoutMs: number): Promise<void> {
  // connect or the query throws the error that matters.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await queryWithin<{ suits: boolean }>(
      client,
      { text: checkStatements[accept] },
      timeoutMs,
    )
    if (rows[0]?.suits !== true) throw new Error(mismatches[accept])
  } finally {
    // Not awaited: a silent peer never answers it.
    void client.end().catch(() => undefined)
  }
}

/** Whether a server refuses the user or the database, which all others would refuse too. */
function isRefused(error: unknown): boolean {
  return /^(28|3D)/.test(sqlStateOf(error) ?? '')
}

/** Node reports that every address of a name refused by an error without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

function noServer(failures: readonly Failure[]): Error {
  const each = failures.map(({ host, port, reason }) => `${host}:${port}: ${reason}`)
  // Node's own code for an unreachable host, so that it counts as an outage.
  return Object.assign(new Error(`no server is suitable: ${each.join('; ')}`), { code: 'EHOSTUNREACH' })
}

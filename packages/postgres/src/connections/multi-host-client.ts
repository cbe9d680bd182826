import pg from 'pg'
import { QueueError } from '../errors.ts'
import { sqlStateOf } from '../pg-error.ts'
import { type Acceptance, parseServers, type Servers } from './servers.ts'
import { noteTimeline, readTimeline, type Timeline } from './timelines.ts'
import { queryWithin } from './timed-query.ts'

/**
 * A node-postgres client for a connection string with one or several hosts; node-postgres itself supports only one. It connects
 * to the first host that satisfies `target_session_attrs`, by default one that accepts writes. It can be used as the `Client` of
 * a pool.
 *
 * Each client first searches for that host over separate connections, because a node-postgres client can connect only once.
 * Clients that connect at the same time share a search. The host that was found last is tried first, and an old primary is
 * refused once this process has found its successor. A string with one host and without the parameter needs no search.
 *
 * Throws `invalid_options` if the string is malformed. Connecting fails with the errors of node-postgres, or with the code
 * EHOSTUNREACH if none of several hosts is suitable.
 */
export class MultiHostClient extends pg.Client {
  readonly #locate: (() => Promise<Address>) | undefined

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString } = config
    const servers = connectionString === undefined ? undefined : serversOf(connectionString)
    const [first] = servers?.urls ?? []
    super(first === undefined ? config : configFor(config, first))
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
        this.#setAddress(address)
        return super.connect()
      })
    }
    // A pool passes a callback in which it starts to listen for errors. It must be called as early as by node-postgres, because
    // otherwise an error of the new connection could end the process.
    located.then((address) => {
      this.#setAddress(address)
      // oxlint-disable-next-line promise/no-callback-in-promise -- a pool passes a callback.
      super.connect(callback)
    }, callback)
  }

  /** Sets host and port, which node-postgres reads when it connects. */
  #setAddress(address: Address): void {
    Object.assign(this, address)
  }
}

/** The servers of a connection string. Throws `invalid_options` if it is malformed. */
export function serversOf(connectionString: string): Servers {
  const servers = parseServers(connectionString)
  if ('fault' in servers) throw new QueueError('invalid_options', `the connection string ${servers.fault}`)
  return servers
}

/** The address of a server, with the field names of node-postgres. */
interface Address {
  readonly host: string
  readonly port: number
}

interface Failure extends Address {
  readonly reason: string
}

/** The search for a suitable server of a connection string. */
interface Search {
  /** Resolves with the address of the server. Callers share a search that is in progress. */
  run(config: pg.ClientConfig): Promise<Address>
}

/** The searches of this process by connection string. The pool and the listener share them. */
const searches = new Map<string, Search>()

function searchOf(connectionString: string, servers: Servers): Search {
  const search = searches.get(connectionString) ?? createSearch(connectionString, servers)
  searches.set(connectionString, search)
  return search
}

function createSearch(connectionString: string, { urls, accept }: Servers): Search {
  let ordered = urls
  let running: Promise<Address> | undefined

  // The time limit of one connection is divided among all servers.
  const search = async (config: pg.ClientConfig): Promise<Address> => {
    const failures: Failure[] = []
    const timeoutMs = Math.ceil((config.connectionTimeoutMillis || connectTimeoutMsDefault) / urls.length)
    for (const url of ordered) {
      const client = new pg.Client(checkConfig(config, url, timeoutMs))
      const { host, port } = client
      try {
        const timeline = await checkServer(client, { accept, timeoutMs, isOnly: urls.length === 1 })
        if (timeline !== undefined) noteTimeline(timeline, connectionString)
        ordered = [url, ...urls.filter((otherUrl) => otherUrl !== url)]
        return { host, port }
      } catch (error) {
        if (isRefused(error)) throw error
        failures.push({ host, port, reason: describeError(error) })
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

/** The time limit for a client without one, so that a server that does not answer cannot prevent trying the next. */
const connectTimeoutMsDefault = 10_000

function checkConfig(config: pg.ClientConfig, url: string, timeoutMs: number): pg.ClientConfig {
  return {
    ...configFor(config, url),
    connectionTimeoutMillis: timeoutMs,
    application_name: 'queue-host-check',
  }
}

/** The options for one server. The password is copied explicitly, because a pool makes it non-enumerable. */
function configFor(config: pg.ClientConfig, connectionString: string): pg.ClientConfig {
  const { password } = config
  return { ...config, connectionString, ...(password === undefined ? {} : { password }) }
}

/** Statements that return whether the server is suitable. The transactions of a standby are read-only too. */
const checkStatements: Readonly<Record<Acceptance, string>> = {
  any: 'SELECT true AS suits',
  'read-write': `SELECT pg_catalog.current_setting('transaction_read_only') = 'off' AS suits`,
  primary: 'SELECT NOT pg_catalog.pg_is_in_recovery() AS suits',
}

/** The reasons why a server is not suitable. */
const mismatches: Readonly<Record<Acceptance, string>> = {
  any: '',
  'read-write': 'does not accept writes',
  primary: 'is a standby',
}

interface ServerCheck {
  readonly accept: Acceptance
  readonly timeoutMs: number
  /** Whether there is no other host that could have succeeded this one. */
  readonly isOnly: boolean
}

/** Resolves when the server answers and is suitable, with its timeline where that matters and is known. */
async function checkServer(
  client: pg.Client,
  { accept, timeoutMs, isOnly }: ServerCheck,
): Promise<Timeline | undefined> {
  // The error is reported by `connect` or the query. Without a listener the event would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await queryWithin<{ suits: boolean }>(
      client,
      { text: checkStatements[accept] },
      timeoutMs,
    )
    if (rows[0]?.suits !== true) throw new Error(mismatches[accept])
    return isOnly ? undefined : await readTimeline(client, timeoutMs)
  } finally {
    // Not awaited, because a server that does not answer would never end it.
    void client.end().catch(() => undefined)
  }
}

/** Whether a server refuses the user or the database. All others would refuse them too. */
function isRefused(error: unknown): boolean {
  return /^(28|3D)/.test(sqlStateOf(error) ?? '')
}

/** Describes an error. If every address of a name refuses the connection, Node's error has no message, but a code. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

function noServer(failures: readonly Failure[]): Error {
  const descriptions = failures.map(({ host, port, reason }) => `${host}:${port}: ${reason}`)
  // This is Node's code for an unreachable host, so that the error counts as an outage.
  return Object.assign(new Error(`no server is suitable: ${descriptions.join('; ')}`), {
    code: 'EHOSTUNREACH',
  })
}

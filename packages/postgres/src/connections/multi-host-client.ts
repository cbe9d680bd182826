import pg from 'pg'
import { QueueError } from '../errors.ts'
import { sqlStateOf } from '../pg-error.ts'
import { type Acceptance, parseServers, type Servers } from './servers.ts'
import { queryWithin } from './timed-query.ts'

/**
 * A client of node-postgres, which knows one host, for a connection string that may name several: it connects to the
 * first that is what `target_session_attrs` demands, by default one that takes writes. To be given to a pool as its
 * `Client`.
 *
 * Which host that is, is asked anew for each connection, by a connection of its own: a client of node-postgres can connect
 * once, so it must not try a host that will not do. Clients that connect at the same time share an answer. The host that
 * was found last is asked first, so that a server that has lost its part is not gone back to because it comes earlier in
 * the list. A string with one host and without the parameter costs nothing of this.
 *
 * Throws `invalid_options` for a string that cannot be. Connecting fails as it does with node-postgres, and with the code
 * EHOSTUNREACH when none of several hosts will do.
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
    // A pool hands over a callback, in which it begins to listen to errors: to call it any later than node-postgres does
    // would let the end of a connection that has just been made end the process.
    located.then((address) => {
      this.#goTo(address)
      // oxlint-disable-next-line promise/no-callback-in-promise -- a pool hands over a callback.
      super.connect(callback)
    }, callback)
  }

  /** node-postgres reads both when it connects. */
  #goTo(address: Address): void {
    Object.assign(this, address)
  }
}

/** The servers of a connection string. Throws `invalid_options` when it names none that could be. */
export function serversOf(connectionString: string): Servers {
  const servers = parseServers(connectionString)
  if ('fault' in servers) throw new QueueError('invalid_options', `the connection string ${servers.fault}`)
  return servers
}

/** As node-postgres has it. */
interface Address {
  readonly host: string
  readonly port: number
}

interface Failure extends Address {
  readonly reason: string
}

/** Finds the one of a connection string's servers that will do. */
interface Search {
  /** Whoever asks while a search is on its way shares its answer. */
  run(config: pg.ClientConfig): Promise<Address>
}

/** One for each connection string of this process: a pool, a listener and a lease thread's client know of each other. */
const searches = new Map<string, Search>()

function searchOf(connectionString: string, servers: Servers): Search {
  const search = searches.get(connectionString) ?? createSearch(servers)
  searches.set(connectionString, search)
  return search
}

function createSearch({ urls, accept }: Servers): Search {
  let ordered = urls
  let running: Promise<Address> | undefined

  // All servers together may take as long as one connection may.
  const search = async (config: pg.ClientConfig): Promise<Address> => {
    const failures: Failure[] = []
    const timeoutMs = Math.ceil((config.connectionTimeoutMillis || connectTimeoutMsDefault) / urls.length)
    for (const url of ordered) {
      const client = new pg.Client(questionConfig(config, url, timeoutMs))
      const { host, port } = client
      try {
        await askServer(client, accept, timeoutMs)
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

/** Where a client would wait for ever, a server that is silent must not keep it from the next. */
const connectTimeoutMsDefault = 10_000

function questionConfig(config: pg.ClientConfig, url: string, timeoutMs: number): pg.ClientConfig {
  return {
    ...reachedBy(config, url),
    connectionTimeoutMillis: timeoutMs,
    application_name: 'queue-host-check',
  }
}

/** A pool hides the password among its options from enumeration. */
function reachedBy(config: pg.ClientConfig, connectionString: string): pg.ClientConfig {
  const { password } = config
  return { ...config, connectionString, ...(password === undefined ? {} : { password }) }
}

/** True where the server will do. The transactions of a standby are read-only as well. */
const questions: Readonly<Record<Acceptance, string>> = {
  any: 'SELECT true AS suits',
  'read-write': `SELECT pg_catalog.current_setting('transaction_read_only') = 'off' AS suits`,
  primary: 'SELECT NOT pg_catalog.pg_is_in_recovery() AS suits',
}

/** How it is said that a server will not do. */
const lacks: Readonly<Record<Acceptance, string>> = {
  any: '',
  'read-write': 'takes no writes',
  primary: 'is a standby',
}

/** Resolves when the server answers and will do. */
async function askServer(client: pg.Client, accept: Acceptance, timeoutMs: number): Promise<void> {
  // The failure that matters is the one that connect or the question throws.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await queryWithin<{ suits: boolean }>(client, { text: questions[accept] }, timeoutMs)
    if (rows[0]?.suits !== true) throw new Error(lacks[accept])
  } finally {
    // A peer that has fallen silent never answers a farewell, so nobody waits for it.
    void client.end().catch(() => undefined)
  }
}

/** Whether a server does not let this user into this database, as all of them will not. */
function isRefused(error: unknown): boolean {
  return /^(28|3D)/.test(sqlStateOf(error) ?? '')
}

/** Node reports a refusal by every address of a name as an error without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

function noServer(failures: readonly Failure[]): Error {
  const each = failures.map(({ host, port, reason }) => `${host}:${port}: ${reason}`)
  // Node's own code for what cannot be reached, by which an outage is known.
  return Object.assign(new Error(`none of the servers will do: ${each.join('; ')}`), { code: 'EHOSTUNREACH' })
}

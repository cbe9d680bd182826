// The query that node-postgres runs for a statement of ours. Its own copies the configuration, asks the server to describe the
// rows of a prepared statement again each time, and emits an event for each row: for a statement about a single job that is a
// tenth of what the process allocates (docs/decisions/0185).
import pg from 'pg'
import { ownTypes } from './values.ts'

/** What is sent: a text with its parameters, and the name under which it is prepared; without one it is not prepared. */
export interface TextQueryConfig {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string | undefined
}

/** The columns of a statement's rows. */
interface RowShape {
  readonly names: readonly string[]
  readonly parsers: readonly ((text: string) => unknown)[]
  /** A row without values. A copy of it has its members in their order, so that all rows share one hidden class. */
  readonly empty: Readonly<Record<string, unknown>>
}

interface Field {
  readonly name: string
  readonly dataTypeID: Parameters<typeof ownTypes.getTypeParser>[0]
}

/** The members of node-postgres' connection with which a query is sent. */
interface Wire {
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements?: Record<string, string>
  readonly stream: object
  parse(message: object): void
  bind(message: object): void
  describe(message: object): void
  execute(message: object): void
  close(message: object): void
  sync(): void
  flush(): void
}

/** Members of node-postgres' query that its types leave out. */
interface PreparingQuery {
  prepare(connection: Wire): void
  hasBeenParsed(connection: Wire): boolean
}

/** The shapes of the rows of the statements that are prepared on a connection, by name. */
const shapesByConnection = new WeakMap<Wire, Map<string, RowShape>>()
const quietByConnection = new WeakMap<Wire, Wire>()

type Answer = (error: unknown, result: { readonly rows: object[] }) => void

/**
 * A statement whose results are read as text, by our own parsers. The rows of a prepared statement are described once per
 * connection: while its plan is valid PostgreSQL refuses to change their columns. Passed to `pg.Client.query`, with a callback.
 */
export class TextQuery extends pg.Query {
  /** Set by `pg.Client.query`. */
  declare callback: Answer
  declare name: string | undefined
  /** For whoever wraps `query` of the clients and passes on a copy with another text. */
  declare types: typeof ownTypes
  #rows: object[] = []
  #shape: RowShape | undefined
  #failure: unknown

  constructor({ text, values, name }: TextQueryConfig) {
    super(text, values)
    this.name = name
    this.types = ownTypes
  }

  /** Sends the statement. Called by node-postgres. */
  prepare(connection: Wire): void {
    const { prepare, hasBeenParsed } = pg.Query.prototype as unknown as PreparingQuery
    const shape = hasBeenParsed.call(this, connection) ? shapesOf(connection).get(this.name ?? '') : undefined
    this.#shape = shape
    prepare.call(this, shape === undefined ? connection : quietOf(connection))
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#rows = []
    this.#shape = shapeOf(fields)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      if (this.#shape !== undefined) this.#rows.push(rowOf(this.#shape, fields))
    } catch (error) {
      this.#failure ??= error
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(connection: Wire): void {
    if (this.name !== undefined) shapesOf(connection).set(this.name, this.#shape ?? noColumns)
    if (this.#failure === undefined) this.callback(null, { rows: this.#rows })
    else this.handleError(this.#failure)
  }

  handleError(error: unknown): void {
    this.callback(error, { rows: [] })
  }
}

const noColumns: RowShape = shapeOf([])

function shapesOf(connection: Wire): Map<string, RowShape> {
  const existing = shapesByConnection.get(connection) ?? new Map<string, RowShape>()
  shapesByConnection.set(connection, existing)
  return existing
}

function shapeOf(fields: readonly Field[]): RowShape {
  return {
    names: fields.map(({ name }) => name),
    parsers: fields.map(({ dataTypeID }) => ownTypes.getTypeParser(dataTypeID) as (text: string) => unknown),
    // oxlint-disable-next-line unicorn/no-useless-spread -- V8 keeps what fromEntries returns as a dictionary, and the copy not.
    empty: { ...Object.fromEntries(fields.map(({ name }) => [name, null])) },
  }
}

function rowOf({ names, parsers, empty }: RowShape, fields: readonly (string | null)[]): object {
  // V8 copies a whole object here, but builds a spread member by member where rows of many shapes meet.
  const row: Record<string, unknown> = Object.assign({}, empty)
  // An iterator would allocate a pair for each value.
  for (let column = 0; column < names.length; column += 1) {
    const text = fields[column]
    if (typeof text === 'string') row[names[column] as string] = parsers[column]?.(text)
  }
  return row
}

/** The connection without `describe`: node-postgres sends the same messages through it, but that one. */
function quietOf(connection: Wire): Wire {
  const existing = quietByConnection.get(connection)
  if (existing !== undefined) return existing
  const quiet: Wire = {
    parsedStatements: connection.parsedStatements,
    ...(connection.submittedNamedStatements === undefined
      ? {}
      : { submittedNamedStatements: connection.submittedNamedStatements }),
    stream: connection.stream,
    parse: (message) => connection.parse(message),
    bind: (message) => connection.bind(message),
    describe: () => undefined,
    execute: (message) => connection.execute(message),
    close: (message) => connection.close(message),
    sync: () => connection.sync(),
    flush: () => connection.flush(),
  }
  quietByConnection.set(connection, quiet)
  return quiet
}

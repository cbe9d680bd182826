import type pg from 'pg'

/** The members of node-postgres's connection that ask for the description of a statement. */
interface Wire {
  parse(query: { name: string; text: string; types: number[] }): void
  describe(target: { type: 'S'; name: string }): void
  sync(): void
}

/** A column of a result: its name, and the object id of its type. */
export interface ResultColumn {
  readonly name: string
  readonly type: number
}

/** The columns that a statement would return. It is not run. */
export async function resultTypes(client: pg.ClientBase, text: string): Promise<ResultColumn[]> {
  const submittable = new Description(text)
  client.query(submittable as unknown as pg.Submittable)
  return submittable.columns
}

/** Passed to node-postgres as a query, so that it gets the answers to its own messages. */
class Description {
  readonly columns: Promise<ResultColumn[]>
  readonly #text: string
  readonly #outcome = Promise.withResolvers<ResultColumn[]>()
  #found: ResultColumn[] = []

  constructor(text: string) {
    this.#text = text
    this.columns = this.#outcome.promise
  }

  submit(connection: Wire): void {
    connection.parse({ name: '', text: this.#text, types: [] })
    connection.describe({ type: 'S', name: '' })
    connection.sync()
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#found = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }))
  }

  handleError(error: Error): void {
    this.#outcome.reject(new Error(`the statement cannot be described: ${this.#text}`, { cause: error }))
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve(this.#found)
  }
}

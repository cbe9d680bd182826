import pg from 'pg'

/** A pool that records the text of every statement. */
export interface CountingPool {
  readonly pool: pg.Pool
  /** The statements so far that contain `part`. */
  sent(part: string): string[]
}

export function countStatements(url: string): CountingPool {
  const texts: string[] = []
  class CountingClient extends pg.Client {
    override query(...input: unknown[]): never {
      const [statement] = input
      if (typeof statement === 'string') texts.push(statement)
      else if (hasText(statement)) texts.push(statement.text)
      return Reflect.apply(super.query, this, input) as never
    }
  }
  const pool = new pg.Pool({ connectionString: url, max: 8, Client: CountingClient })
  return { pool, sent: (part) => texts.filter((text) => text.includes(part)) }
}

/** A pool of which a test can lose an answer. */
export interface LosingPool {
  readonly pool: pg.Pool
  /** The next statement that contains `part` takes effect, and its caller gets the error of a broken connection. */
  loseAnswer(part: string): void
}

/** A pool that holds a statement back, as a network does that delivers it after its connection was given up. */
export interface DelayingPool {
  readonly pool: pg.Pool
  /** The next statement that contains `part` is not sent, and its caller gets the error of a broken connection. */
  delay(part: string): void
  /** Sends the statement. Rejects with the error of the server. */
  deliver(): Promise<void>
}

export function delaysStatements(url: string): DelayingPool {
  let delayed: string | undefined
  let held: pg.QueryConfig | undefined
  class DelayingClient extends pg.Client {
    override query(...input: unknown[]): never {
      const [statement, callback] = input as [unknown, Callback | undefined]
      if (delayed === undefined || !hasText(statement) || !statement.text.includes(delayed)) {
        return Reflect.apply(super.query, this, input) as never
      }
      delayed = undefined
      held = statement as pg.QueryConfig
      callback?.(new Error('Connection terminated unexpectedly'))
      return undefined as never
    }
  }
  const pool = new pg.Pool({ connectionString: url, max: 8, Client: DelayingClient })
  return {
    pool,
    delay: (part) => void (delayed = part),
    deliver: async () => {
      if (held === undefined) throw new Error('no statement was held back')
      const { text, values = [] } = held
      await pool.query(text, values as unknown[])
    },
  }
}

type Callback = (error: Error | null, result?: unknown) => void

export function losesAnswers(url: string): LosingPool {
  let lost: string | undefined
  class LosingClient extends pg.Client {
    override query(...input: unknown[]): never {
      const [statement, callback] = input as [unknown, Callback | undefined]
      if (lost === undefined || !hasText(statement) || !statement.text.includes(lost)) {
        return Reflect.apply(super.query, this, input) as never
      }
      lost = undefined
      const loseIt = (): void => callback?.(new Error('Connection terminated unexpectedly'))
      return Reflect.apply(super.query, this, [statement, loseIt]) as never
    }
  }
  const pool = new pg.Pool({ connectionString: url, max: 8, Client: LosingClient })
  return { pool, loseAnswer: (part) => void (lost = part) }
}

function hasText(statement: unknown): statement is { readonly text: string } {
  return typeof statement === 'object' && statement !== null && 'text' in statement
}

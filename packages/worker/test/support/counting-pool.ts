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

function hasText(statement: unknown): statement is { readonly text: string } {
  return typeof statement === 'object' && statement !== null && 'text' in statement
}

import type pg from 'pg'

type Answer = (error: Error | null, result?: pg.QueryResult) => void

export interface Loss {
  /** Whether it is this statement. */
  readonly of: (text: string) => boolean
  /** Whether the connection breaks before it was carried out, or before its answer. */
  readonly when: 'before' | 'after'
}

/** `pool`, on which the connection breaks once. */
export function poolThatLosesOne(pool: pg.Pool, { of, when }: Loss): pg.Pool {
  let left = 1
  const broken = (): Error => new Error('Connection terminated unexpectedly')
  const connect = async () => {
    const client = await pool.connect()
    const lossy = (config: pg.QueryConfig, answer: Answer): void => {
      const loses = left > 0 && of(config.text)
      if (loses) left -= 1
      if (loses && when === 'before') process.nextTick(answer, broken())
      else client.query(config, (error, result) => (loses ? answer(broken()) : answer(error, result)))
    }
    return Object.assign(Object.create(client) as typeof client, {
      query: lossy,
      release: (destroy?: boolean) => client.release(destroy),
    })
  }
  return Object.assign(Object.create(pool) as typeof pool, { connect })
}

import type pg from 'pg'

type Answer = (error: Error | null, result?: pg.QueryResult) => void

export interface Loss {
  /** Whether the connection breaks at this statement. */
  readonly isLost: (text: string) => boolean
  /** Whether the connection breaks before the statement is executed, or before its answer. */
  readonly breaks: 'before' | 'after'
  /** What others do before the loss is noticed. Default: nothing. */
  readonly meanwhile?: () => Promise<unknown>
}

/** `pool` with a connection that breaks once. */
export function poolWithLoss(
  pool: pg.Pool,
  { isLost, breaks, meanwhile = async () => undefined }: Loss,
): pg.Pool {
  let lossesLeft = 1
  const connectionError = (): Error => new Error('Connection terminated unexpectedly')
  const connect = async () => {
    const client = await pool.connect()
    const lossyQuery = (config: pg.QueryConfig, answer: Answer): void => {
      const isLoss = lossesLeft > 0 && isLost(config.text)
      const lose = (): void => void meanwhile().finally(() => answer(connectionError()))
      if (isLoss) lossesLeft -= 1
      if (isLoss && breaks === 'before') process.nextTick(lose)
      else client.query(config, (error, result) => (isLoss ? lose() : answer(error, result)))
    }
    return Object.assign(Object.create(client) as typeof client, {
      query: lossyQuery,
      release: (destroy?: boolean) => client.release(destroy),
    })
  }
  return Object.assign(Object.create(pool) as typeof pool, { connect })
}

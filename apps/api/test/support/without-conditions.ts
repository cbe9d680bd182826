import type { QueueInternals } from '@queue/core/internal'

/** One condition on a tenant, and the parameter that it compares with, which has to stay somewhere. */
const equality = /(?:"\w+"\.)?"tenant_id" = (\$\d+)/g
/** The same as the first member of a key that is compared as a whole. */
const keyset = /\((\w)\.tenant_id, ([\w., ]+)\) (>=|<) \((\$\d+), /g

/**
 * Takes the condition on the tenant out of each statement on its way to the server: a planted defect. Gives how many
 * were taken out so far.
 */
export function dropConditions({ pool }: Pick<QueueInternals['database'], 'pool'>): () => number {
  let dropped = 0
  const drop = (text: string): string =>
    text
      .replaceAll(equality, (_all, parameter: string) => {
        dropped += 1
        return `${parameter}::text IS NOT NULL`
      })
      .replaceAll(keyset, (_all, ...[row, rest, operator, parameter]: string[]) => {
        dropped += 1
        const columns = rest?.replaceAll(/(?:\w\.)?(\w+)/g, `${row}.$1`)
        return `${parameter}::text IS NOT NULL AND ROW(${columns}) ${operator} ROW(`
      })
      .replaceAll(/\b(\w)\.tenant_id IS NOT NULL/g, 'true')
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const mutated = (config: unknown, ...others: unknown[]) =>
      query(isStatement(config) ? { ...config, text: drop(config.text) } : config, ...others)
    client.query = mutated as typeof client.query
  })
  return () => dropped
}

function isStatement(config: unknown): config is { readonly text: string } {
  return typeof config === 'object' && config !== null && 'text' in config
}

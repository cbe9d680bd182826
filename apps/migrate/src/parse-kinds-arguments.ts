import { parseArgs } from 'node:util'
import { ConfigError } from '@queue/service'

/** What is to be done with the registry of kinds. */
export type KindsTask =
  | { readonly act: 'list' }
  | {
      readonly act: 'push'
      /** The module of definitions: a path or a package. */
      readonly module: string
      /** Whether what was replaced or retired comes back too. */
      readonly restore: boolean
    }
  | { readonly act: 'retire'; readonly kind: string }

const acts = 'kinds list, kinds push MODULE, kinds push MODULE --restore, kinds retire KIND'

/** Reads what follows `kinds`. Throws ConfigError (exit 2) with what is wrong and what is accepted. */
export function parseKindsArguments(
  args: readonly string[],
): KindsTask & { readonly format: 'json' | 'text' } {
  const { positionals, values } = split(args)
  const [act, name, ...rest] = positionals
  const format = values.json ? 'json' : 'text'
  const restore = values.restore ?? false
  const isPlain = rest.length === 0 && !(restore && act !== 'push')
  if (isPlain && act === 'list' && name === undefined) return { act, format }
  if (isPlain && act === 'push' && name !== undefined) return { act, module: name, restore, format }
  if (isPlain && act === 'retire' && name !== undefined) return { act, kind: name, format }
  const given = ['kinds', ...positionals, ...(restore ? ['--restore'] : [])].join(' ')
  throw new ConfigError([`"${given}" is no command; accepted: ${acts}`])
}

function split(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, restore: { type: 'boolean' } },
    })
  } catch (error) {
    const [fault = ''] = (error as Error).message.split(/\.\s/)
    throw new ConfigError([`${fault}; accepted: ${acts}`])
  }
}

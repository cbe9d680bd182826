import { parseArgs } from 'node:util'
import { ConfigError } from '@queue/service'

/** A parsed `kinds` command. */
export type KindsTask =
  | { readonly act: 'list' }
  | {
      readonly act: 'push'
      /** The module of definitions: a path or a package. */
      readonly module: string
      /** Whether to restore replaced schemas and retired kinds, too. */
      readonly restore: boolean
    }
  | { readonly act: 'retire'; readonly kind: string }

const acts = 'kinds list, kinds push MODULE, kinds push MODULE --restore, kinds retire KIND'

/** Parses the arguments after `kinds`. Throws a ConfigError (exit code 2) that says what is wrong and what is accepted. */
export function parseKindsArguments(
  args: readonly string[],
): KindsTask & { readonly format: 'json' | 'text' } {
  const { positionals, values } = split(args)
  const [act, name, ...rest] = positionals
  const format = values.json ? 'json' : 'text'
  const restore = values.restore ?? false
  const hasNoExtras = rest.length === 0 && !(restore && act !== 'push')
  if (hasNoExtras && act === 'list' && name === undefined) return { act, format }
  if (hasNoExtras && act === 'push' && name !== undefined) return { act, module: name, restore, format }
  if (hasNoExtras && act === 'retire' && name !== undefined) return { act, kind: name, format }
  const command = ['kinds', ...positionals, ...(restore ? ['--restore'] : [])].join(' ')
  throw new ConfigError([`"${command}" is not a command; accepted: ${acts}`])
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

import { escapeCell } from './escape-cell.ts'

/** An operation of the API, as far as the page about access shows it. */
export interface AccessOperation {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly permission: string
  readonly act?: string
}

const unguarded: Readonly<Record<string, string>> = {
  none: 'none: everybody may',
  any: 'any: whoever has a credential',
}

const begin = '<!-- Operations: written by `pnpm docs:write` from the operations. Do not edit. -->'
const end = '<!-- End of operations. -->'

/** A document with the table of permissions and operations as it is to be. Throws when it has no place for one. */
export function withOperations(document: string, operations: readonly AccessOperation[]): string {
  const [before, rest] = document.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`no lines ${begin} and ${end}`)
  const rows = operations.map(({ method, path, summary, permission, act }) => {
    const needed = unguarded[permission] ?? `\`${permission}\``
    return `| \`${method.toUpperCase()} ${path}\` | ${escapeCell(summary)} | ${needed} | ${act === undefined ? '' : `\`${act}\``} |`
  })
  const table = [
    '| Operation | What it does | Permission | Its act in the audit log |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
  return [before, begin, '\n\n', table, '\n\n', end, after].join('')
}

import { escapeCell } from './escape-cell.ts'

/** The properties of an API operation that the page about access shows. */
export interface AccessOperation {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly permission: string
  readonly act?: string
}

const permissionTexts: Readonly<Record<string, string>> = {
  none: 'none: everybody may',
  any: 'any: whoever has a credential',
}

const begin = '<!-- Operations: written by `pnpm docs:write` from the operations. Do not edit. -->'
const end = '<!-- End of operations. -->'

/** Returns the document with an updated table of operations and permissions. Throws if the document has no markers for it. */
export function withOperations(document: string, operations: readonly AccessOperation[]): string {
  const [before, afterBegin] = document.split(begin)
  const after = afterBegin?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`the document needs the lines ${begin} and ${end}`)
  const rows = operations.map(({ method, path, summary, permission, act }) => {
    const permissionText = permissionTexts[permission] ?? `\`${permission}\``
    return `| \`${method.toUpperCase()} ${path}\` | ${escapeCell(summary)} | ${permissionText} | ${act === undefined ? '' : `\`${act}\``} |`
  })
  const table = [
    '| Operation | What it does | Permission | Its act in the audit log |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
  return [before, begin, '\n\n', table, '\n\n', end, after].join('')
}

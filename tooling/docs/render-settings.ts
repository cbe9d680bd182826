import type { z } from 'zod'
import { escapeCell } from './escape-cell.ts'

const begin = '<!-- Settings: written by `pnpm docs:write` from their schema. Do not edit. -->'
const end = '<!-- End of settings. -->'

/** Returns the document with an updated table of a package's settings. Throws if the document has no markers for it. */
export function withSettings(document: string, schema: z.ZodObject): string {
  const [before, afterBegin] = document.split(begin)
  const after = afterBegin?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`the document needs the lines ${begin} and ${end}`)
  return [before, begin, '\n\n', renderSettings(schema), '\n\n', end, after].join('')
}

function renderSettings(schema: z.ZodObject): string {
  const defaults = schema.parse({})
  const rows = Object.entries(schema.shape).map(([name, setting]) => {
    const { description = '', variable } = (setting as z.ZodType).meta() ?? {}
    const cells = [
      `\`${name}\``,
      `\`${JSON.stringify(defaults[name])}\``,
      typeof variable === 'string' ? `\`${variable}\`` : '',
      description,
    ]
    return `| ${cells.map(escapeCell).join(' | ')} |`
  })
  return ['| Setting | Default | Variable | What it does |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

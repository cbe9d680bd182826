import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../../docs/runbooks/', import.meta.url)

/** The pages, by their file names. */
export const runbooks: readonly string[] = readdirSync(folder).filter(
  (name) => name.endsWith('.md') && name !== 'README.md',
)

export function runbookText(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}

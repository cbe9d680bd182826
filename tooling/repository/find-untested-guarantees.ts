import { testLink } from './find-missing-tests.ts'
import type { Faults, RepositoryFile } from './repository-file.ts'

const document = 'docs/guarantees.md'
/** A guarantee is a numbered section. */
const section = /^## (\d+\. .+)\n([\s\S]*?)(?=^## |(?![\s\S]))/gm

/** Every guarantee names at least one test that holds it, and what it does not promise. */
export function findUnheldGuarantees(files: readonly RepositoryFile[]): Faults {
  const text = files.find(({ name }) => name === document)?.text ?? ''
  return [...text.matchAll(section)].flatMap(([, title = '', body = '']) => [
    ...(body.match(testLink) === null ? [`${document}: "${title}" names no test`] : []),
    ...(body.includes('**Not promised**') ? [] : [`${document}: "${title}" does not say what it leaves out`]),
  ])
}
